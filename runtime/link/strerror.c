/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <patchbay/link.h>

#include <errno.h>

const char *patchbay_link_strerror(int error)
{
	switch (error < 0 ? -error : 0) {
	case 0:
		return "no error";
	case EINVAL:
		return "an invalid argument: the log names it";
	case E2BIG:
		return "an option that this library does not know, or too many "
		       "links with exits on one function";
	case ENOENT:
		return "no traceable function matches: another name (mangled in "
		       "C++), inlined, or compiled without the plugin";
	case EDOM:
		return "the program reads an argument that the function does "
		       "not have in a register of this kind";
	case EPROTONOSUPPORT:
		return "the program was compiled with headers of another version "
		       "of this library";
	case EPROTOTYPE:
		return "the function's result has another type than the program "
		       "expects";
	case EOPNOTSUPP:
		return "the function's exit cannot be traced: it is variadic, "
		       "has unknown arguments, or never returns";
	case ENOLINK:
		return "the link is detached";
	case EILSEQ:
		return "the function's site was changed by other code, such as "
		       "a debugger or a uprobe";
	case ERANGE:
		return "no memory for trampolines is close enough to the function";
	case EDEADLK:
		return "called from a handler";
	case ETIMEDOUT:
		return "timeout: a thread is still in a handler";
	case EAGAIN:
		return "nothing was changed: a thread is still in a previous "
		       "handler of the function";
	case EACCES:
		return "the code may not be written";
	case ENOMEM:
		return "out of memory, or no address space for trampolines near "
		       "the module";
	case ENODEV:
		return "the code cannot be written without /proc";
	default:
		return "a system error: see strerror()";
	}
}
