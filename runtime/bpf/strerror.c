/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <patchbay/bpf.h>

#include <errno.h>

const char *patchbay_bpf_strerror(int error)
{
	switch (error < 0 ? -error : 0) {
	case EINVAL:
		return "not a BPF object, or an invalid object or argument: the "
		       "log names it";
	case E2BIG:
		return "a program or map is too large, or an option is unknown "
		       "to this library";
	case EACCES:
		return "the verifier refuses the program, or the code may not be "
		       "written";
	case ENOTSUP:
		return "the map type is not supported, or the function's exit "
		       "cannot be traced";
	case EALREADY:
		return "the program is already attached";
	case EEXIST:
		return "the map already has this key";
	case EBUSY:
		return "another thread is changing the map, and is not running: "
		       "try again";
	default:
		return patchbay_link_strerror(error);
	}
}
