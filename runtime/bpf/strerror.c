/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <patchbay/bpf.h>

#include <errno.h>

const char *patchbay_bpf_strerror(int error)
{
	switch (error < 0 ? -error : 0) {
	case EINVAL:
		return "no BPF object, or something in it that makes no sense, "
		       "or an argument: the log says which";
	case E2BIG:
		return "a program or a map that is too large, or something set "
		       "that this library does not know";
	case EACCES:
		return "a program that the verifier refuses, or text that may "
		       "not be written";
	case ENOTSUP:
		return "a type of map that is not supported, or a function "
		       "whose exit cannot be seen";
	case EALREADY:
		return "the program is attached already";
	case EEXIST:
		return "the map has the key already";
	case EBUSY:
		return "whoever changes the map does not run: try again";
	default:
		return patchbay_link_strerror(error);
	}
}
