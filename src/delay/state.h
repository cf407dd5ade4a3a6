/*
 * src/delay/state.h
 *		How far the mover of the delay store has come, see _move_due().
 */
#ifndef PGTQ_STATE_H
#define PGTQ_STATE_H

#include "datatype/timestamp.h"

#include "common/snapshot.h"

/* a transaction that had rows locked when they were due, and their due times */
typedef struct Late
{
	FullTransactionId xid;
	TimestampTz from;
	TimestampTz to;
} Late;

/*
 * All rows that the snapshot sees and that are due by the horizon have left the
 * store, but for those of the late ones.
 */
typedef struct MoveState
{
	int64		n;				/* last entry in the position log */
	StoredSnapshot *snapshot;	/* NULL: sees nothing */
	TimestampTz horizon;
	Late	   *late;
	int			nlate;
} MoveState;

extern MoveState *state_load(void);
extern void state_save(const MoveState *old, MoveState *new, bool moved, bool was_long);
extern bool state_late_is_running(const Late *late);

#endif							/* PGTQ_STATE_H */
