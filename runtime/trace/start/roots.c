/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arms the functions of under= (*roots*), and makes the tracers record only calls beneath
 * roots. Handlers must not call this code.
 */
#include "functions/globs.h"
#include "functions/left_out.h"
#include "session/recording.h"
#include "session/session.h"
#include "start.h"
#include "tracers/under.h"

#include <errno.h>

/*
 * @former: the tracer of the previous roots, kept until no thread is in its handlers.
 */
static struct patchbay_ops *roots, *former;
static uint64_t eras;

static const struct {
	patchbay_handler entry, exit, timed_exit;
} handlers[PB_NR_TRACERS] = {
	[PB_PLAIN] = { pb_under_entry, pb_under_exit, pb_under_timed_exit },
	[PB_VALUES] = { pb_under_values_entry, pb_under_values_exit,
			      pb_under_values_timed_exit },
	[PB_TYPED] = { pb_under_typed_entry, pb_under_typed_exit, NULL },
};

/* Writes pb_under_beneath(), which no thread reads yet: the tracer does not exist. */
struct patchbay_ops_attr pb_under_attr(enum pb_tracer_of of,
				       const struct patchbay_ops_attr *attr)
{
	struct patchbay_ops_attr under = *attr;

	*pb_under_beneath(of) = *attr;
	if (!pb_options.nr_under)
		return under;
	under.handler = handlers[of].entry;
	under.exit = attr->exit ? handlers[of].exit : NULL;
	under.threshold = NULL;
	return under;
}

static int create(struct patchbay_ops **ops)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST | PATCHBAY_OPS_NO_RESULT_FP,
		.handler = pb_root_entry,
		.exit = pb_root_exit,
		.check = pb_left_out_check,
	};

	return patchbay_ops_create(&attr, ops);
}

static int arm(const struct patchbay_filter *which, unsigned int flags)
{
	return patchbay_arm_filter(roots, which, flags | PATCHBAY_ARM_SKIP);
}

int pb_under_begin(void)
{
	int error;

	pb_under_exchange(pb_options.nr_under ? ++eras : 0);
	if (!pb_options.nr_under)
		return 0;
	error = create(&roots);
	for (size_t i = 0; i < pb_options.nr_under && error >= 0; i++) {
		const struct patchbay_filter filter =
			pb_glob_filter(PBD_UNDER, pb_options.under[i]);

		error = arm(&filter, PATCHBAY_ARM_FUTURE);
	}
	return error < 0 ? error : 0;
}

int pb_under_undo(void)
{
	int error = pb_tracer_destroy(&roots), other = pb_tracer_destroy(&former);

	pb_under_waiting = 0;
	return error ? error : other;
}

uint32_t pb_under_roots(void)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	if (!pb_under_era() || !roots || patchbay_ops_get_info(roots, &info))
		return 0;
	return (uint32_t)info.armed;
}

/*
 * Give the tracer the handlers that check for roots. The tracer keeps these handlers even
 * without roots, because they have handled the entries of open calls.
 */
static int look_for_roots(enum pb_tracer_of of)
{
	const struct patchbay_ops_attr *attr = pb_under_beneath(of);
	struct patchbay_ops *ops = *pb_tracers[of];

	if (!ops)
		return 0;
	/* With under= the tracer has had these handlers from the start. */
	if (pb_options.nr_under)
		return 0;
	if (attr->threshold)
		return patchbay_ops_update_both(ops, NULL,
						handlers[of].timed_exit);
	if (attr->exit)
		return patchbay_ops_update_both(ops, handlers[of].entry,
						handlers[of].exit);
	return patchbay_ops_update(ops, handlers[of].entry);
}

/* Was the change made? -ETIMEDOUT means yes, but an old handler may still be running. */
static int is_done(int result)
{
	return result >= 0 || result == -ETIMEDOUT;
}

static int look_all(void)
{
	int error = 0;

	for (enum pb_tracer_of of = 0; of < PB_NR_TRACERS && is_done(error); of++)
		error = look_for_roots(of);
	return error;
}

static int add_roots(const struct patchbay_filter *which)
{
	int armed = arm(which, 0);

	pb_left_out_write();
	/*
	 * Handlers of roots must run before the tracer's handlers, so that the tracer also
	 * records the call of the root.
	 */
	if (armed > 0)
		pb_tracer_arm_again(which);
	return armed;
}

static int replace(const struct patchbay_filter *which)
{
	struct patchbay_ops *before = roots;
	int armed;

	if (former && pb_tracer_destroy(&former))
		return -EAGAIN;
	armed = create(&roots);
	if (!armed)
		armed = add_roots(which);
	if (armed <= 0) {
		pb_tracer_destroy(&roots);
		roots = before;
		return armed;
	}
	former = before;
	pb_tracer_destroy(&former);
	return armed;
}

int pb_under_set(const struct patchbay_filter *which, int also)
{
	int armed, error;

	if (!which) {
		pb_under_exchange(0);
		pb_under_waiting = 0;
		return 0;
	}
	if (also && pb_under_era())
		return add_roots(which);
	error = look_all();
	if (!is_done(error))
		return error;
	armed = replace(which);
	if (armed <= 0)
		return armed;
	pb_under_exchange(++eras);
	/* A forked child that has no events yet has no chunk. */
	if (pb_session->chunk)
		pb_session_flag(PBD_SESSION_UNDER);
	return armed;
}
