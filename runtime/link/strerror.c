/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <patchbay/link.h>

#include <errno.h>

const char *patchbay_link_strerror(int error)
{
	switch (error < 0 ? -error : 0) {
	case 0:
		return "no error";
	case EINVAL:
		return "an argument that makes no sense: the log says which";
	case E2BIG:
		return "something set that this library does not know, or more "
		       "links with exits on a function than it can have";
	case ENOENT:
		return "no function with a site is selected: none of the name "
		       "(in C++ the mangled one), or it was inlined, or built "
		       "without the pass";
	case EDOM:
		return "the program reads an argument that the function does "
		       "not have in an integer register, or in a "
		       "floating-point one";
	case EPROTONOSUPPORT:
		return "the program was compiled with headers of another version "
		       "of this library";
	case EPROTOTYPE:
		return "the function's result is not of the kind that the "
		       "program asks for";
	case EOPNOTSUPP:
		return "the function's exit cannot be seen: it is variadic, its "
		       "arguments are not known, or it never returns";
	case ENOLINK:
		return "the link is detached";
	case EILSEQ:
		return "the function's site is not as the compiler made it: "
		       "somebody else has patched it";
	case ERANGE:
		return "the function is too far from where trampolines can be";
	case EDEADLK:
		return "called from a handler";
	case ETIMEDOUT:
		return "a thread is in a handler for longer than anybody waits";
	case EAGAIN:
		return "nothing was changed: a thread has been for too long in "
		       "a handler that the function had before";
	case EACCES:
		return "text may not be written";
	case ENOMEM:
		return "no memory, or no room for trampolines near the module";
	case ENODEV:
		return "no /proc to write text through";
	default:
		return "an error of the system: strerror() has its name";
	}
}
