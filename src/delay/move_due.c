/*
 * src/delay/move_due.c
 *		_move_due(): moves what is due from the delay store into the queues.
 *
 * Runs in the session of the mover: the ticker, or whoever calls ticker() by
 * hand.  Takes SHARE UPDATE EXCLUSIVE on the store's empty parent table, which
 * stops nobody but other movers, and ROW EXCLUSIVE on what it writes to.
 *
 * The head of _move_due() explains the algorithm.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

#include "common/now.h"
#include "common/event.h"
#include "common/insert.h"
#include "common/queue.h"
#include "delay/move_due.h"
#include "delay/recur.h"
#include "delay/scan.h"
#include "delay/state.h"
#include "delay/store.h"

PG_FUNCTION_INFO_V1(pgtq_move_due);

/* a look that takes longer than this is worth to be remembered */
#define LONG_LOOK 2000

/* what goes into one queue */
typedef struct Target
{
	int32		queue_id;
	bool		exists;
	QueueRow	queue;
	Oid			event_seq;
	int			count;			/* rows below */
	int			room;
	Datum	   *values;			/* Natts_event for each row */
	bool	   *nulls;
} Target;

/* a move in the making */
typedef struct Move
{
	TimestampTz now;
	TimestampTz until;			/* how far ahead of now to look for the executor */
	int			limit;
	const MoveState *old;
	MoveState	new;
	DueRows		due;
	Target	   *targets;
	int			ntargets;
	int			moved;
} Move;

static int64 move_ahead = 0;

static void find_due(Move *move);
static void leave_early(Move *move);
static bool may_be_early(Move *move, const DueRow *row);
static bool cut_to_limit(Move *move);
static int	compare_due(const void *a, const void *b);
static void take_rows(Move *move);
static void add_late(Move *move, FullTransactionId xid, TimestampTz due);
static FullTransactionId full_xid(TransactionId xid);
static void add_event(Move *move, const DueRow *row, TupleDesc desc);
static Target *target_of(Move *move, int32 queue_id);
static void insert_events(Move *move);
static Datum result_of(FunctionCallInfo fcinfo, const Move *move);

/* For the ticker: by how many microseconds actions may enter their queues early. */
void
move_due_ahead(int64 ahead)
{
	move_ahead = ahead;
}

/*
 * _move_due(i_limit)
 */
Datum
pgtq_move_due(PG_FUNCTION_ARGS)
{
	Move		move = {0};
	TimestampTz began = GetCurrentTimestamp();
	bool		is_long;

	if (IsolationUsesXactSnapshot())
		return result_of(fcinfo, &move);
	LockRelationOid(pgtq_relation("delay"), ShareUpdateExclusiveLock);
	command_snapshot();
	AcceptInvalidationMessages();

	move.now = clock_now();
	move.until = move.now + move_ahead;
	move.limit = PG_ARGISNULL(0) ? PG_INT32_MAX : Max(PG_GETARG_INT32(0), 0);
	move.old = state_load();
	move.new.snapshot = snapshot_to_store();
	move.new.horizon = move.until;
	move.new.late = palloc(sizeof(Late) * Max(move.old->nlate, 1));
	find_due(&move);
	leave_early(&move);
	is_long = GetCurrentTimestamp() - began > LONG_LOOK;

	if (cut_to_limit(&move))
	{
		take_rows(&move);
		insert_events(&move);
		state_save(move.old, &move.new, move.moved > 0, is_long);
	}
	else
	{
		take_rows(&move);
		insert_events(&move);
	}
	PopActiveSnapshot();
	return result_of(fcinfo, &move);
}

/* Collects what is due from all generations, and the late ones that still are. */
static void
find_due(Move *move)
{
	const MoveState *old = move->old;
	TimestampTz by = Min(old->horizon, move->until);
	Relation	rel;
	bool	   *running = palloc0(sizeof(bool) * Max(old->nlate, 1));

	for (int i = 0; i < old->nlate; i++)
	{
		running[i] = state_late_is_running(&old->late[i]);
		if (running[i] && old->late[i].from <= move->until)
			move->new.late[move->new.nlate++] = old->late[i];
	}
	move->due.limit = move->limit;
	for (int n = 0; (rel = store_open_generation(n, AccessShareLock)) != NULL; n++)
	{
		if (RelationGetNumberOfBlocks(rel) > 0)
		{
			if (old->snapshot != NULL)
				scan_unseen(rel, n, old->snapshot, by, &move->due);
			for (int i = 0; i < old->nlate; i++)
				if (!running[i])
					scan_due_range(rel, n, old->late[i].from - 1, Min(old->late[i].to, move->until),
								   PG_INT32_MAX, &move->due);
			scan_due_range(rel, n, old->horizon, move->until,
						   move->limit < PG_INT32_MAX ? move->limit + 1 : PG_INT32_MAX, &move->due);
		}
		relation_close(rel, NoLock);
	}
}

/*
 * Leaves what was found ahead of its time, unless it is for the executor alone,
 * which runs nothing before it is due.  The horizon then is before the first
 * that is left.
 */
static void
leave_early(Move *move)
{
	DueRows    *due = &move->due;
	int			kept = 0;

	for (int i = 0; i < due->count; i++)
	{
		DueRow	   *row = &due->rows[i];

		if (row->due <= move->now || may_be_early(move, row))
			due->rows[kept++] = *row;
		else
			move->new.horizon = Min(move->new.horizon, row->due - 1);
	}
	due->count = kept;
}

static bool
may_be_early(Move *move, const DueRow *row)
{
	Target	   *target = target_of(move, row->queue_id);

	return target->exists && target->queue.has_executor &&
		!heap_attisnull(row->tuple, Anum_ev_attempts, NULL);
}

/*
 * Sorts what was found, and leaves no more than the limit.  The horizon then is
 * where that ends.  False if not even what was late is all taken: then the next
 * move begins where this one did.
 */
static bool
cut_to_limit(Move *move)
{
	DueRows    *due = &move->due;
	TimestampTz last;

	if (due->count > 1)
		qsort(due->rows, due->count, sizeof(DueRow), compare_due);
	if (due->count <= move->limit && !due->limited)
		return true;
	due->count = Min(due->count, move->limit);
	if (due->limited || due->count == 0)
		return false;
	last = due->rows[due->count - 1].due - 1;
	if (last < move->old->horizon)
		return false;
	move->new.horizon = Min(move->new.horizon, last);
	return true;
}

static int
compare_due(const void *a, const void *b)
{
	const DueRow *x = a;
	const DueRow *y = b;

	if (x->due != y->due)
		return (x->due > y->due) ? 1 : -1;
	return (x->timer > y->timer) - (x->timer < y->timer);
}

/*
 * Deletes the rows, each for the event that it becomes.  What others have locked
 * stays, and is late.  All of it is one command, although planning the next run
 * of a schedule takes some of its own: so a row that was found twice is one that this
 * command has deleted, and not one that it should not have found.
 */
static void
take_rows(Move *move)
{
	Relation   *generations = NULL;
	int			ngenerations = 0;
	CommandId	command = GetCurrentCommandId(true);

	for (int i = 0; i < move->due.count; i++)
		ngenerations = Max(ngenerations, move->due.rows[i].generation + 1);
	generations = palloc0(sizeof(Relation) * Max(ngenerations, 1));

	for (int i = 0; i < move->due.count; i++)
	{
		DueRow	   *row = &move->due.rows[i];
		Relation	rel = generations[row->generation];
		TM_FailureData failure;
		TM_Result	result;

		CHECK_FOR_INTERRUPTS();
		if (!target_of(move, row->queue_id)->exists)
			continue;
		if (rel == NULL)
			rel = generations[row->generation] = store_open_generation(row->generation, RowExclusiveLock);
		result = table_tuple_delete(rel, &row->tuple->t_self, command, GetActiveSnapshot(),
									InvalidSnapshot, false, &failure, false);
		if (result == TM_Ok)
		{
			move->moved++;
			add_event(move, row, RelationGetDescr(rel));
		}
		else if (result == TM_BeingModified)
			add_late(move, full_xid(failure.xmax), row->due);
		/* else: somebody has cancelled or copied it, or it was found twice */
	}
	for (int i = 0; i < ngenerations; i++)
		if (generations[i] != NULL)
			relation_close(generations[i], NoLock);
}

/* Remembers that a transaction has a row locked. */
static void
add_late(Move *move, FullTransactionId xid, TimestampTz due)
{
	MoveState  *state = &move->new;

	for (int i = 0; i < state->nlate; i++)
		if (FullTransactionIdEquals(state->late[i].xid, xid))
		{
			state->late[i].from = Min(state->late[i].from, due);
			state->late[i].to = Max(state->late[i].to, due);
			return;
		}
	state->late = repalloc(state->late, sizeof(Late) * (state->nlate + 1));
	state->late[state->nlate].xid = xid;
	state->late[state->nlate].from = due;
	state->late[state->nlate].to = due;
	state->nlate++;
}

/* A transaction that is running, or was just now, with all bits of its id. */
static FullTransactionId
full_xid(TransactionId xid)
{
	uint64		next = U64FromFullTransactionId(ReadNextFullTransactionId());
	uint64		full = (next & ~UINT64CONST(0xffffffff)) | xid;

	return FullTransactionIdFromU64(full > next ? full - (UINT64CONST(1) << 32) : full);
}

/* Makes an event of a row, unless it is a run of a schedule that is put off, or a job now. */
static void
add_event(Move *move, const DueRow *row, TupleDesc desc)
{
	Datum		columns[Natts_delay];
	bool		column_nulls[Natts_delay];
	Target	   *target;
	Datum	   *values;
	bool	   *nulls;

	heap_deform_tuple(row->tuple, desc, columns, column_nulls);
	if (recur_is_planned(column_nulls) && !recur_plan(columns, column_nulls))
		return;
	target = target_of(move, row->queue_id);
	if (target->count == target->room)
	{
		target->room *= 2;
		target->values = repalloc_huge(target->values, sizeof(Datum) * Natts_event * target->room);
		target->nulls = repalloc_huge(target->nulls, sizeof(bool) * Natts_event * target->room);
	}
	values = target->values + target->count * Natts_event;
	nulls = target->nulls + target->count * Natts_event;
	target->count++;
	memcpy(values, columns, sizeof(Datum) * Natts_event);
	memcpy(nulls, column_nulls, sizeof(bool) * Natts_event);
	values[Anum_ev_txid - 1] = FullTransactionIdGetDatum(GetTopFullTransactionId());
	if (nulls[Anum_ev_id - 1])
		values[Anum_ev_id - 1] = Int64GetDatum(nextval_internal(target->event_seq, false));
	if (nulls[Anum_ev_time - 1])
		values[Anum_ev_time - 1] = TimestampTzGetDatum(row->due);
	nulls[Anum_ev_id - 1] = nulls[Anum_ev_time - 1] = false;
}

/* Where the events of a queue are collected. */
static Target *
target_of(Move *move, int32 queue_id)
{
	Target	   *target;

	for (int i = 0; i < move->ntargets; i++)
		if (move->targets[i].queue_id == queue_id)
			return &move->targets[i];

	move->targets = (move->targets == NULL)
		? palloc(sizeof(Target))
		: repalloc(move->targets, sizeof(Target) * (move->ntargets + 1));
	target = &move->targets[move->ntargets++];
	memset(target, 0, sizeof(Target));
	target->queue_id = queue_id;
	target->exists = queue_find_by_id(queue_id, &target->queue) && target->queue.is_home;
	if (target->exists)
		target->event_seq = queue_event_sequence(&target->queue);
	target->room = 16;
	target->values = palloc(sizeof(Datum) * Natts_event * target->room);
	target->nulls = palloc(sizeof(bool) * Natts_event * target->room);
	return target;
}

/* Appends what was collected to the event tables. */
static void
insert_events(Move *move)
{
	for (int i = 0; i < move->ntargets; i++)
	{
		Target	   *target = &move->targets[i];
		Relation	rel;

		if (target->count == 0)
			continue;
		rel = queue_open_current(&target->queue);
		insert_rows(rel, Natts_event, target->count, target->values, target->nulls);
		relation_close(rel, NoLock);
		/* tells the ticker of retries, which keep their ids */
		nextval_internal(target->event_seq, false);
	}
}

/* moved, queue_ids */
static Datum
result_of(FunctionCallInfo fcinfo, const Move *move)
{
	Datum	   *queues = palloc(sizeof(Datum) * Max(move->ntargets, 1));
	int			nqueues = 0;
	Datum		values[2];
	bool		nulls[2] = {false, false};
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	for (int i = 0; i < move->ntargets; i++)
		if (move->targets[i].count > 0)
			queues[nqueues++] = Int32GetDatum(move->targets[i].queue_id);
	values[0] = Int32GetDatum(move->moved);
	values[1] = PointerGetDatum(construct_array(queues, nqueues, INT4OID, 4, true, TYPALIGN_INT));
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}
