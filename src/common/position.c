/*
 * src/common/position.c
 *		Where consumers stand: subscribers and the position log.
 *
 * Runs in the sessions of consumers.  structure/position.sql explains the log.
 * Whoever appends to it holds the row lock of the subscriber, and has taken
 * a new snapshot since; the callers see to that.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/insert.h"
#include "common/position.h"
#include "common/queue.h"

#define RING_SIZE 3

/* last positions that are remembered in a session */
#define KNOWN_POSITIONS 16

/* the mover of the delay store has a place in the log, too */
#define MOVER (-1)

/* microseconds from the epoch of Unix, which the log counts from, to that of PostgreSQL */
#define UNIX_EPOCH_US ((POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

enum
{
	Anum_pos_sub = 1,
	Anum_pos_n,
	Anum_pos_time,
	Anum_pos_last_tick,
	Anum_pos_batch,
	Anum_pos_next_tick,
	Anum_pos_snapshot,
	Anum_pos_horizon,
	Anum_pos_late,
	Natts_position = Anum_pos_late
};

enum
{
	Anum_sub_id = 1,
	Anum_sub_queue,
	Anum_sub_consumer
};

enum
{
	Anum_co_id = 1,
	Anum_co_name
};

static const char *const position_tables[RING_SIZE] = {"position_0", "position_1", "position_2"};
static const char *const position_keys[RING_SIZE] = {"position_0_pkey", "position_1_pkey", "position_2_pkey"};
static const char *const batch_indexes[RING_SIZE] = {"position_0_batch_idx", "position_1_batch_idx", "position_2_batch_idx"};

static bool consumer_find(text *name, int32 *consumer_id);
static bool subscriber_read(const char *index, int nkeys, ScanKey keys, bool lock,
							AttrNumber column, int32 *value);
static bool lock_subscriber(Relation rel, ItemPointer tid);
static int	current_table(void);
static bool last_in_ring(int32 sub_id, Position *position);
static bool last_in_table(int table, int32 sub_id, int64 from, Position *position);
static bool position_exists(int table, int32 sub_id, int64 n);
static void insert_if_next(Relation rel, const Position *position);
static void insert_position(Relation rel, const Position *position);
static Relation open_current(int *table);
static void read_move(Relation rel, HeapTuple tuple, MoveState *state);

/*
 * Finds the subscription of a consumer, and on demand locks its row, which
 * writes no new version of it.  Waits for whoever has it locked.
 */
bool
subscriber_find(int32 queue_id, text *consumer, bool lock, int32 *sub_id)
{
	int32		consumer_id;
	ScanKeyData keys[2];

	if (!consumer_find(consumer, &consumer_id))
		return false;
	ScanKeyInit(&keys[0], Anum_sub_queue, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(queue_id));
	ScanKeyInit(&keys[1], Anum_sub_consumer, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(consumer_id));
	return subscriber_read("subscriber_queue_consumer_uq", 2, keys, lock, Anum_sub_id, sub_id);
}

/* The same by its id; tells the queue. */
bool
subscriber_find_by_id(int32 sub_id, bool lock, int32 *queue_id)
{
	ScanKeyData key;

	ScanKeyInit(&key, Anum_sub_id, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(sub_id));
	return subscriber_read("subscriber_pkey", 1, &key, lock, Anum_sub_queue, queue_id);
}

static bool
consumer_find(text *name, int32 *consumer_id)
{
	Relation	rel = table_open(pgtq_relation("consumer"), AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found;

	ScanKeyEntryInitialize(&key, 0, Anum_co_name, BTEqualStrategyNumber,
						   InvalidOid, DEFAULT_COLLATION_OID, F_TEXTEQ,
						   PointerGetDatum(name));
	scan = systable_beginscan(rel, pgtq_relation("consumer_name_uq"), true,
							  GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext(scan);
	found = HeapTupleIsValid(tuple);
	if (found)
	{
		bool		isnull;

		*consumer_id = DatumGetInt32(heap_getattr(tuple, Anum_co_id, RelationGetDescr(rel), &isnull));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

static bool
subscriber_read(const char *index, int nkeys, ScanKey keys, bool lock,
				AttrNumber column, int32 *value)
{
	Relation	rel = table_open(pgtq_relation("subscriber"), RowShareLock);
	SysScanDesc scan = systable_beginscan(rel, pgtq_relation(index), true,
										  GetActiveSnapshot(), nkeys, keys);
	HeapTuple	tuple = systable_getnext(scan);
	bool		found = HeapTupleIsValid(tuple);
	ItemPointerData tid;

	if (found)
	{
		bool		isnull;

		*value = DatumGetInt32(heap_getattr(tuple, column, RelationGetDescr(rel), &isnull));
		tid = tuple->t_self;
	}
	systable_endscan(scan);
	if (found && lock)
		found = lock_subscriber(rel, &tid);
	table_close(rel, NoLock);	/* as a statement would, keep the lock */
	return found;
}

/* Locks a subscriber's row as FOR UPDATE does; false if it is gone. */
static bool
lock_subscriber(Relation rel, ItemPointer tid)
{
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	TM_FailureData failure;
	TM_Result	result;

	result = table_tuple_lock(rel, tid, GetActiveSnapshot(), slot,
							  GetCurrentCommandId(false), LockTupleExclusive,
							  LockWaitBlock, 0, &failure);
	ExecDropSingleTupleTableSlot(slot);

	/* the row has no columns that change: either it is there or it is gone */
	if (result == TM_Ok)
		return true;
	if (IsolationUsesXactSnapshot())
		position_out_of_date();
	return false;
}

/*
 * Reads a subscriber's last position, which is the one of the highest number.  One
 * in the current table is: writers write there only, and copies have the last
 * number.  An old snapshot may see none there.
 *
 * The search begins at the number that this session has found the last time, or a
 * whole page of the index would be read.
 */
bool
position_last(int32 sub_id, Position *position)
{
	static struct
	{
		int32		sub_id;
		int64		n;
	}			known[KNOWN_POSITIONS];
	int			place = (uint32) sub_id % KNOWN_POSITIONS;
	int64		from = (known[place].sub_id == sub_id) ? known[place].n : 0;

	if (!last_in_table(current_table(), sub_id, from, position) && !last_in_ring(sub_id, position))
		return false;
	known[place].sub_id = sub_id;
	known[place].n = position->n;
	return true;
}

/* The same, whatever the current table has. */
static bool
last_in_ring(int32 sub_id, Position *position)
{
	bool		found = false;

	for (int table = 0; table < RING_SIZE; table++)
	{
		Position	candidate;

		if (last_in_table(table, sub_id, 0, &candidate) &&
			(!found || candidate.n > position->n))
		{
			*position = candidate;
			found = true;
		}
	}
	return found;
}

/* The number of the table that is written to.  To be read after the snapshot was taken. */
static int
current_table(void)
{
	int64		n = sequence_last_value(pgtq_relation("position_cur_seq"));

	if (n < 0 || n >= RING_SIZE)
		elog(ERROR, "the position log has no table %d", (int) n);
	return (int) n;
}

/* The last position in a table, if its number is from or higher. */
static bool
last_in_table(int table, int32 sub_id, int64 from, Position *position)
{
	Relation	rel = table_open(pgtq_relation(position_tables[table]), AccessShareLock);
	Relation	index = index_open(pgtq_relation(position_keys[table]), AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found;

	ScanKeyInit(&keys[0], Anum_pos_sub, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(sub_id));
	ScanKeyInit(&keys[1], Anum_pos_n, BTGreaterEqualStrategyNumber, F_INT8GE, Int64GetDatum(from));
	scan = systable_beginscan_ordered(rel, index, GetActiveSnapshot(), 2, keys);
	tuple = systable_getnext_ordered(scan, BackwardScanDirection);
	found = HeapTupleIsValid(tuple);
	if (found)
	{
		TupleDesc	desc = RelationGetDescr(rel);
		bool		isnull;

		position->sub_id = sub_id;
		position->n = DatumGetInt64(heap_getattr(tuple, Anum_pos_n, desc, &isnull));
		position->last_tick = DatumGetInt64(heap_getattr(tuple, Anum_pos_last_tick, desc, &isnull));
		position->next_tick = DatumGetInt64(heap_getattr(tuple, Anum_pos_next_tick, desc, &isnull));
		position->batch = DatumGetInt64(heap_getattr(tuple, Anum_pos_batch, desc, &isnull));
		position->is_open = !isnull;
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(rel, NoLock);
	return found;
}

/* Whose batch is, or was, this one? */
bool
position_of_batch(int64 batch_id, int32 *sub_id)
{
	bool		found = false;

	for (int table = 0; table < RING_SIZE && !found; table++)
	{
		Relation	rel = table_open(pgtq_relation(position_tables[table]), AccessShareLock);
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	tuple;

		ScanKeyInit(&key, Anum_pos_batch, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(batch_id));
		scan = systable_beginscan(rel, pgtq_relation(batch_indexes[table]), true,
								  GetActiveSnapshot(), 1, &key);
		tuple = systable_getnext(scan);
		if (HeapTupleIsValid(tuple))
		{
			bool		isnull;

			found = true;
			*sub_id = DatumGetInt32(heap_getattr(tuple, Anum_pos_sub, RelationGetDescr(rel), &isnull));
		}
		systable_endscan(scan);
		table_close(rel, NoLock);
	}
	return found;
}

/*
 * Appends the next position; its number is that of the last one plus 1.  See
 * _append_position(), which says why a duplicate is a serialization failure.
 */
void
position_append(const Position *position)
{
	int			table;
	Relation	rel = open_current(&table);

	if (!IsolationUsesXactSnapshot())
		insert_position(rel, position);
	else if (position_exists(table, position->sub_id, position->n - 1))
		insert_if_next(rel, position);
	else
		position_out_of_date();
	table_close(rel, NoLock);
}

/* Opens the table of the log to write to: lock, then check again. */
static Relation
open_current(int *table)
{
	for (;;)
	{
		int			n = current_table();
		Relation	rel = table_open(pgtq_relation(position_tables[n]), RowExclusiveLock);

		if (current_table() == n)
		{
			*table = n;
			return rel;
		}
		table_close(rel, RowExclusiveLock);
	}
}

/*
 * Reads how far the mover has come.  Nothing in the log: it has seen nothing yet.
 */
void
position_load_move(MoveState *state)
{
	memset(state, 0, sizeof(MoveState));
	state->horizon = DT_NOBEGIN;
	for (int table = 0; table < RING_SIZE; table++)
	{
		Relation	rel = table_open(pgtq_relation(position_tables[table]), AccessShareLock);
		Relation	index = index_open(pgtq_relation(position_keys[table]), AccessShareLock);
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	tuple;

		ScanKeyInit(&key, Anum_pos_sub, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(MOVER));
		scan = systable_beginscan_ordered(rel, index, GetActiveSnapshot(), 1, &key);
		tuple = systable_getnext_ordered(scan, BackwardScanDirection);
		if (HeapTupleIsValid(tuple))
			read_move(rel, tuple, state);
		systable_endscan_ordered(scan);
		index_close(index, AccessShareLock);
		table_close(rel, NoLock);
	}
}

/* Takes an entry of the mover, if it is newer than what we have. */
static void
read_move(Relation rel, HeapTuple tuple, MoveState *state)
{
	TupleDesc	desc = RelationGetDescr(rel);
	bool		isnull;
	int64		n = DatumGetInt64(heap_getattr(tuple, Anum_pos_n, desc, &isnull));
	Datum		snapshot;
	Datum		late;

	if (n <= state->n)
		return;
	state->n = n;
	snapshot = heap_getattr(tuple, Anum_pos_snapshot, desc, &isnull);
	state->snapshot = isnull ? NULL : (StoredSnapshot *) PG_DETOAST_DATUM_COPY(snapshot);
	state->horizon = DatumGetTimestampTz(heap_getattr(tuple, Anum_pos_horizon, desc, &isnull));
	state->nlate = 0;
	late = heap_getattr(tuple, Anum_pos_late, desc, &isnull);
	if (!isnull)
	{
		Datum	   *elements;
		int			count;

		deconstruct_array(DatumGetArrayTypeP(late), INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements, NULL, &count);
		state->nlate = count / 3;
		state->late = palloc(sizeof(Late) * Max(state->nlate, 1));
		for (int i = 0; i < state->nlate; i++)
		{
			state->late[i].xid = FullTransactionIdFromU64(DatumGetInt64(elements[3 * i]));
			state->late[i].from = DatumGetInt64(elements[3 * i + 1]) - UNIX_EPOCH_US;
			state->late[i].to = DatumGetInt64(elements[3 * i + 2]) - UNIX_EPOCH_US;
		}
	}
}

/* Notes how far the mover has come; it holds its lock, so nobody else does. */
void
position_append_move(const MoveState *state)
{
	int			table;
	Relation	rel = open_current(&table);
	Datum		values[Natts_position] = {0};
	bool		nulls[Natts_position];
	Datum	   *late = palloc(sizeof(Datum) * 3 * Max(state->nlate, 1));

	memset(nulls, true, sizeof(nulls));
	values[Anum_pos_sub - 1] = Int32GetDatum(MOVER);
	values[Anum_pos_n - 1] = Int64GetDatum(state->n);
	values[Anum_pos_time - 1] = TimestampTzGetDatum(GetCurrentTimestamp());
	values[Anum_pos_snapshot - 1] = PointerGetDatum(state->snapshot);
	values[Anum_pos_horizon - 1] = TimestampTzGetDatum(state->horizon);
	nulls[Anum_pos_sub - 1] = nulls[Anum_pos_n - 1] = nulls[Anum_pos_time - 1] = false;
	nulls[Anum_pos_snapshot - 1] = nulls[Anum_pos_horizon - 1] = false;
	for (int i = 0; i < state->nlate; i++)
	{
		late[3 * i] = Int64GetDatum((int64) U64FromFullTransactionId(state->late[i].xid));
		late[3 * i + 1] = Int64GetDatum(state->late[i].from + UNIX_EPOCH_US);
		late[3 * i + 2] = Int64GetDatum(state->late[i].to + UNIX_EPOCH_US);
	}
	if (state->nlate > 0)
	{
		values[Anum_pos_late - 1] = PointerGetDatum(construct_array(late, 3 * state->nlate, INT8OID, 8,
																	FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
		nulls[Anum_pos_late - 1] = false;
	}
	insert_row(rel, Natts_position, values, nulls);
	table_close(rel, NoLock);
}

/* Inserts a position, if nobody else did who is not in our snapshot. */
static void
insert_if_next(Relation rel, const Position *position)
{
	MemoryContext caller = CurrentMemoryContext;

	PG_TRY();
	{
		insert_position(rel, position);
	}
	PG_CATCH();
	{
		if (geterrcode() != ERRCODE_UNIQUE_VIOLATION)
			PG_RE_THROW();
		MemoryContextSwitchTo(caller);
		FlushErrorState();
		position_out_of_date();
	}
	PG_END_TRY();
}

/* Is there such a position in this very table, as far as we see? */
static bool
position_exists(int table, int32 sub_id, int64 n)
{
	Relation	rel = table_open(pgtq_relation(position_tables[table]), AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	bool		found;

	ScanKeyInit(&keys[0], Anum_pos_sub, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(sub_id));
	ScanKeyInit(&keys[1], Anum_pos_n, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(n));
	scan = systable_beginscan(rel, pgtq_relation(position_keys[table]), true,
							  GetActiveSnapshot(), 2, keys);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(rel, NoLock);
	return found;
}

static void
insert_position(Relation rel, const Position *position)
{
	Datum		values[Natts_position] = {0};
	bool		nulls[Natts_position] = {false};

	values[Anum_pos_sub - 1] = Int32GetDatum(position->sub_id);
	values[Anum_pos_n - 1] = Int64GetDatum(position->n);
	values[Anum_pos_time - 1] = TimestampTzGetDatum(GetCurrentTimestamp());
	values[Anum_pos_last_tick - 1] = Int64GetDatum(position->last_tick);
	values[Anum_pos_batch - 1] = Int64GetDatum(position->batch);
	values[Anum_pos_next_tick - 1] = Int64GetDatum(position->next_tick);
	nulls[Anum_pos_batch - 1] = nulls[Anum_pos_next_tick - 1] = !position->is_open;
	nulls[Anum_pos_snapshot - 1] = nulls[Anum_pos_horizon - 1] = nulls[Anum_pos_late - 1] = true;
	insert_row(rel, Natts_position, values, nulls);
}

/*
 * Does our snapshot see what the position log has copied into its current
 * table?  The ring's own entry there tells.
 */
bool
position_log_is_seen(void)
{
	Position	unused;

	return last_in_table(current_table(), 0, 0, &unused);
}

/* What our snapshot tells of a position is not the latest. */
void
position_out_of_date(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update")));
}
