/*
 * src/delay/state.c
 *		How far the mover of the delay store has come, see _move_due().
 *
 * Runs in the session of the mover, under its lock.  What it has found out is
 * true for ever, if its transaction commits.  So a session that moves again and
 * again keeps it in memory, and writes it into the position log only now and
 * then: others, and itself after a restart, just look at a bit more.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "fmgr.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/position.h"
#include "delay/state.h"

/* how long what is in memory may be newer than what is in the log */
#define SAVE_INTERVAL USECS_PER_SEC

/* what this session knows, in StateContext; and the transaction that must have committed */
static MemoryContext StateContext = NULL;
static MoveState *known = NULL;
static FullTransactionId known_by;
static TimestampTz saved_at = 0;

static void remember_state(const MoveState *state);
static bool same_late(const MoveState *a, const MoveState *b);

/*
 * How far the last move has come: what this session remembers, unless another
 * one has written since, or our transaction has failed.
 */
MoveState *
state_load(void)
{
	MoveState  *state = palloc0(sizeof(MoveState));

	position_load_move(state);
	if (known != NULL && known->n == state->n &&
		(!FullTransactionIdIsValid(known_by) ||
		 TransactionIdDidCommit(XidFromFullTransactionId(known_by))))
		return known;
	return state;
}

/*
 * Notes how far this move has come: in memory, and in the log if that is worth
 * it.
 */
void
state_save(const MoveState *old, MoveState *new, bool moved, bool was_long)
{
	TimestampTz now = GetCurrentTimestamp();

	new->n = old->n;
	if (!same_late(old, new) ||
		((moved || was_long) && (now >= saved_at + SAVE_INTERVAL || now < saved_at)))
	{
		new->n++;
		position_append_move(new);
		saved_at = now;
	}
	remember_state(new);
}

/*
 * Is the transaction still running?  One that the server knows nothing of, from
 * a restored dump, is not.
 */
bool
state_late_is_running(const Late *late)
{
	return FullTransactionIdIsNormal(late->xid) &&
		FullTransactionIdPrecedes(late->xid, ReadNextFullTransactionId()) &&
		U64FromFullTransactionId(ReadNextFullTransactionId()) - U64FromFullTransactionId(late->xid) < PG_INT32_MAX &&
		TransactionIdIsInProgress(XidFromFullTransactionId(late->xid));
}

/* Copies a state into memory that lives as long as the session. */
static void
remember_state(const MoveState *state)
{
	MemoryContext fresh = AllocSetContextCreate(TopMemoryContext, "pgtq mover", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(fresh);

	known = palloc(sizeof(MoveState));
	*known = *state;
	known->snapshot = (StoredSnapshot *) PG_DETOAST_DATUM_COPY(PointerGetDatum(state->snapshot));
	known->late = palloc(sizeof(Late) * Max(state->nlate, 1));
	memcpy(known->late, state->late, sizeof(Late) * state->nlate);
	known_by = GetTopFullTransactionIdIfAny();
	MemoryContextSwitchTo(caller);
	if (StateContext != NULL)
		MemoryContextDelete(StateContext);
	StateContext = fresh;
}

static bool
same_late(const MoveState *a, const MoveState *b)
{
	return a->nlate == b->nlate &&
		(a->nlate == 0 || memcmp(a->late, b->late, sizeof(Late) * a->nlate) == 0);
}
