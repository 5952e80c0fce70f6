/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * XRay's own logging, with all sleds patched. The option is the mode. XRay writes the
 * logged calls to a file when the program ends.
 */
#include "worker.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xray/xray_interface.h>

/* XRay's header, xray_log_interface.h, is for C++ only. */
enum { REGISTRATION_OK = 0, LOG_INITIALIZED = 2, LOG_FINALIZED = 4 };
int __xray_log_select_mode(const char *mode);
int __xray_log_init_mode(const char *mode, const char *config);
int __xray_log_finalize(void);
int __xray_log_flushLog(void);

/*
 * Options to log all calls. FDR uses a ring of the same size as other systems. BASIC drops
 * the main thread's last buffer when the program ends, so its buffer size (default: 1024)
 * is chosen so that PROOF_CALLS calls fill the last buffer.
 */
#ifdef DEFAULT_BUFFERS
#define FDR "func_duration_threshold_us=0"
#else
#define FDR "func_duration_threshold_us=0:buffer_size=16384:buffer_max=16"
#endif
#define BASIC "func_duration_threshold_us=0:thread_buffer_size=1000"

static void end(void)
{
	if (__xray_log_finalize() == LOG_FINALIZED)
		__xray_log_flushLog();
}

const char *tracer_count(const char *mode)
{
	const char *config = strcmp(mode, "xray-fdr") ? BASIC : FDR;

	if (__xray_log_select_mode(mode) != REGISTRATION_OK)
		return "XRay has no such mode";
	if (__xray_log_init_mode(mode, config) != LOG_INITIALIZED)
		return "__xray_log_init_mode failed";
	if (atexit(end))
		return "atexit failed";
	return __xray_patch() == SUCCESS ? NULL : "__xray_patch failed";
}

const char *tracer_empty(const char *mode)
{
	(void)mode;
	return NULL;
}

uint64_t tracer_events(void)
{
	return 0;
}
