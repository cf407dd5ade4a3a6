/*
 * src/delay/next_due.c
 *		_next_due(): when the next row of the delay store is due.
 *
 * Runs in the session of the ticker, before it goes to sleep.  Index look-ups
 * only.
 *
 * A session that calls this again and again remembers where it looked, so that a million
 * cancelled timers in front of the next live one are walked over once.
 */
#include "postgres.h"

#include "access/relation.h"
#include "fmgr.h"
#include "storage/bufmgr.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "common/snapshot.h"
#include "compat.h"
#include "delay/scan.h"
#include "delay/state.h"
#include "delay/store.h"

PG_FUNCTION_INFO_V1(pgtq_next_due);

/*
 * Of the rows that this snapshot sees, none that is alive was due before the
 * time, but for what the mover takes care of.
 */
static StoredSnapshot *looked_with = NULL;
static TimestampTz none_before = DT_NOBEGIN;
static TimestampTz looked_at_horizon = DT_NOBEGIN;

/* how often to look whether late ones still are */
#define LATE_INTERVAL USECS_PER_SEC

static bool first_of(Relation rel, const MoveState *state, TimestampTz *due);
static void forget_look(void);
static void remember_look(const StoredSnapshot *snapshot, TimestampTz due);

Datum
pgtq_next_due(PG_FUNCTION_ARGS)
{
	const MoveState *state;
	StoredSnapshot *snapshot;
	TimestampTz next = DT_NOEND;
	Relation	rel;

	command_snapshot();
	AcceptInvalidationMessages();
	state = state_load();
	if (state->horizon < looked_at_horizon)
		forget_look();			/* the clock was set back: what the mover takes care of is less */
	looked_at_horizon = state->horizon;
	snapshot = snapshot_to_store();
	for (int n = 0; (rel = store_open_generation(n, AccessShareLock)) != NULL; n++)
	{
		TimestampTz due;

		if (RelationGetNumberOfBlocks(rel) > 0 && first_of(rel, state, &due))
			next = Min(next, due);
		relation_close(rel, NoLock);
	}
	remember_look(snapshot, next);
	if (state->nlate > 0)		/* nobody tells us when a cancel that is open ends */
		next = Min(next, clock_now() + LATE_INTERVAL);
	PopActiveSnapshot();
	if (next == DT_NOEND)
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(next);
}

/*
 * The first due time in a generation.  Rows that were there at the last look
 * are due after what that found; others are found by their transactions.
 * Without a last look it begins where the mover is.
 */
static bool
first_of(Relation rel, const MoveState *state, TimestampTz *due)
{
	const StoredSnapshot *seen = looked_with ? looked_with : state->snapshot;
	TimestampTz from = looked_with ? none_before : state->horizon;
	bool		found = scan_first_due(rel, from, due);
	TimestampTz unseen;

	if (seen != NULL && scan_first_unseen(rel, seen, &unseen) && (!found || unseen < *due))
	{
		*due = unseen;
		found = true;
	}
	return found;
}

static void
forget_look(void)
{
	if (looked_with != NULL)
		pfree(looked_with);
	looked_with = NULL;
}

static void
remember_look(const StoredSnapshot *snapshot, TimestampTz due)
{
	forget_look();
	looked_with = MemoryContextAlloc(TopMemoryContext, VARSIZE_ANY(snapshot));
	memcpy(looked_with, snapshot, VARSIZE_ANY(snapshot));
	none_before = due;
}
