/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "count_missed.h"

#include "session/recording.h"
#include "session/session.h"
#include "start.h"
#include "system/lock.h"
#include "threads/count_losses.h"
#include "threads/thread.h"
#include "tracers/under.h"

/* Counts only calls that would have been recorded, as far as is known. */
void pb_count_missed(const struct patchbay_ops *ops)
{
	/* @ops is NULL if the tracer is unknown. */
	if ((ops && ops != pb_tracer && ops != pb_values_tracer &&
	     ops != pb_typed_tracer) ||
	    pb_untraced ||
	    !pb_tracer_is_recording() || !pb_under_is_open() ||
	    (pb_options.nr_threads && !pb_self))
		return;
	pb_count_loss(PBD_MISSED_IN_HANDLER);
}
