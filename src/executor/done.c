/*
 * src/executor/done.c
 *		The done log, see structure/executor.sql.
 *
 * Written by sessions at the end of a group, when no user code runs any more
 * but what hangs on the commit itself, and read by the executor when it starts
 * or finds a session dead.  Takes ROW EXCLUSIVE on the current table, or ACCESS
 * SHARE on all, until the transaction ends.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "common/insert.h"
#include "common/queue.h"
#include "executor/done.h"

#define RING_SIZE 3

enum
{
	Anum_dn_sub = 1,
	Anum_dn_tick,
	Anum_dn_started,
	Anum_dn_events,
	Natts_done = Anum_dn_events
};

static const char *const done_tables[RING_SIZE] = {"done_0", "done_1", "done_2"};
static const char *const done_indexes[RING_SIZE] = {"done_0_tick_idx", "done_1_tick_idx", "done_2_tick_idx"};

static Relation open_current(void);
static void read_row(Relation rel, HeapTuple tuple, DoneReader reader, void *arg);

/* Notes of events that came with a tick that they are done, or that they begin. */
void
done_append(int32 sub_id, int64 tick, bool started, int count, const int64 *events)
{
	Datum		values[Natts_done];
	bool		nulls[Natts_done] = {false};
	Datum	   *elements = palloc(sizeof(Datum) * count);
	Relation	rel = open_current();

	for (int i = 0; i < count; i++)
		elements[i] = Int64GetDatum(events[i]);
	values[Anum_dn_sub - 1] = Int32GetDatum(sub_id);
	values[Anum_dn_tick - 1] = Int64GetDatum(tick);
	values[Anum_dn_started - 1] = BoolGetDatum(started);
	values[Anum_dn_events - 1] = PointerGetDatum(construct_array(elements, count, INT8OID, 8,
																 FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	insert_row(rel, Natts_done, values, nulls);
	table_close(rel, NoLock);
	pfree(elements);
}

/* Opens the table to write to: lock, then check again, see _current_table(). */
static Relation
open_current(void)
{
	Oid			seqid = pgtq_relation("done_cur_seq");

	for (;;)
	{
		int64		n = sequence_last_value(seqid);
		Relation	rel;

		if (n < 0 || n >= RING_SIZE)
			elog(ERROR, "the done log has no table %d", (int) n);
		rel = table_open(pgtq_relation(done_tables[n]), RowExclusiveLock);
		if (sequence_last_value(seqid) == n)
			return rel;
		table_close(rel, RowExclusiveLock);
	}
}

/*
 * Reads what is noted of events that came with these ticks.  An event has a row
 * for each time it was begun alone, and one when it is done.
 */
void
done_read(int32 sub_id, int64 from_tick, int64 to_tick, DoneReader reader, void *arg)
{
	for (int n = 0; n < RING_SIZE; n++)
	{
		Relation	rel = table_open(pgtq_relation(done_tables[n]), AccessShareLock);
		ScanKeyData keys[3];
		SysScanDesc scan;
		HeapTuple	tuple;

		ScanKeyInit(&keys[0], Anum_dn_sub, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(sub_id));
		ScanKeyInit(&keys[1], Anum_dn_tick, BTGreaterEqualStrategyNumber, F_INT8GE, Int64GetDatum(from_tick));
		ScanKeyInit(&keys[2], Anum_dn_tick, BTLessEqualStrategyNumber, F_INT8LE, Int64GetDatum(to_tick));
		scan = systable_beginscan(rel, pgtq_relation(done_indexes[n]), true, GetActiveSnapshot(), 3, keys);
		while (HeapTupleIsValid(tuple = systable_getnext(scan)))
			read_row(rel, tuple, reader, arg);
		systable_endscan(scan);
		table_close(rel, NoLock);
	}
}

static void
read_row(Relation rel, HeapTuple tuple, DoneReader reader, void *arg)
{
	TupleDesc	desc = RelationGetDescr(rel);
	bool		isnull;
	int32		sub_id = DatumGetInt32(heap_getattr(tuple, Anum_dn_sub, desc, &isnull));
	bool		started = DatumGetBool(heap_getattr(tuple, Anum_dn_started, desc, &isnull));
	Datum	   *elements;
	int			count;

	deconstruct_array(DatumGetArrayTypeP(heap_getattr(tuple, Anum_dn_events, desc, &isnull)),
					  INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements, NULL, &count);
	for (int i = 0; i < count; i++)
		reader(sub_id, DatumGetInt64(elements[i]), started, arg);
}
