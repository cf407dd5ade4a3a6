/*
 * src/delay/recur.c
 *		Runs of schedules, see structure/recur.sql.
 *
 * What becomes of a run is planned in SQL, by the mover and whoever cancels one.
 * Where a run ends that is in a session which is connected as the schedule's
 * owner, so no SQL runs there: when the next one is due has been planned already,
 * and it is only put into the delay store.  Rows are those of the delay store.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "funcapi.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "common/call.h"
#include "common/event.h"
#include "common/now.h"
#include "common/queue.h"
#include "common/snapshot.h"
#include "delay/recur.h"
#include "delay/store.h"

/* fields of pgtq.run */
enum
{
	Anum_run_epoch = 1,
	Anum_run_n,
	Anum_run_planned,
	Anum_run_next,
	Anum_run_next_due,
	Anum_run_began,
	Natts_run = Anum_run_began
};

/* columns of pgtq.schedule */
#define Anum_sc_id 1
#define Anum_sc_epoch 2

static Datum row_datum(Oid type, const Datum *values, const bool *nulls);
static bool is_current(int64 schedule, int32 epoch);

/* Is it a run whose future is not decided yet?  Not one that is tried again, or out of the plan. */
bool
recur_is_planned(const bool *nulls)
{
	return !nulls[Anum_ev_run - 1] && nulls[Anum_ev_retry - 1];
}

/*
 * Lets _plan_run() decide what becomes of a run that is due, and changes the row
 * accordingly.  False if nothing is to enter the queue.
 */
bool
recur_plan(Datum *values, bool *nulls)
{
	Oid			type = get_rel_type_id(pgtq_relation("delay"));
	Oid			types[2] = {type, BOOLOID};
	Datum		args[2] = {row_datum(type, values, nulls), BoolGetDatum(false)};
	TupleDesc	desc;
	HeapTupleData tuple;
	HeapTupleHeader header;
	bool		isnull;
	Datum		result = call_as_owner("_plan_run", 2, types, args, "  ", false, -1, &isnull);

	if (isnull)
		return false;
	header = DatumGetHeapTupleHeader(result);
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	tuple.t_data = header;
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	desc = lookup_rowtype_tupdesc(type, -1);
	heap_deform_tuple(&tuple, desc, values, nulls);
	ReleaseTupleDesc(desc);
	return true;
}

/* Goes on with the schedule of a row that was taken out of the store by hand. */
void
recur_taken(const Datum *values, const bool *nulls)
{
	Oid			type = get_rel_type_id(pgtq_relation("delay"));
	Datum		row;
	bool		isnull;

	if (nulls[Anum_ev_run - 1])
		return;
	row = row_datum(type, values, nulls);
	(void) call_as_owner("_run_taken", 1, &type, &row, " ", true, sizeof(int32), &isnull);
}

static Datum
row_datum(Oid type, const Datum *values, const bool *nulls)
{
	TupleDesc	desc = lookup_rowtype_tupdesc(type, -1);
	HeapTuple	tuple = heap_form_tuple(desc, unconstify(Datum *, values), unconstify(bool *, nulls));
	Datum		datum = heap_copy_tuple_as_datum(tuple, desc);

	ReleaseTupleDesc(desc);
	return datum;
}

/*
 * Puts the next run of a schedule into the store when one has come to its end: as
 * _end_run() does.
 */
void
recur_end(const Datum *values, const bool *nulls)
{
	HeapTupleHeader run;
	HeapTupleData tuple;
	TupleDesc	desc;
	Datum		field[Natts_run];
	bool		is_null[Natts_run];
	Datum		next[Natts_delay];
	bool		next_nulls[Natts_delay];
	TimestampTz due;
	TimestampTz now = clock_now();

	if (nulls[Anum_ev_run - 1])
		return;
	run = DatumGetHeapTupleHeader(values[Anum_ev_run - 1]);
	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(run), HeapTupleHeaderGetTypMod(run));
	tuple.t_len = HeapTupleHeaderGetDatumLength(run);
	tuple.t_data = run;
	heap_deform_tuple(&tuple, desc, field, is_null);
	if (!is_null[Anum_run_next - 1] &&
		is_current(DatumGetInt64(values[Anum_ev_schedule - 1]), DatumGetInt32(field[Anum_run_epoch - 1])))
	{
		due = DatumGetTimestampTz(field[Anum_run_next_due - 1]);
		field[Anum_run_n - 1] = Int64GetDatum(DatumGetInt64(field[Anum_run_n - 1]) + 1);
		field[Anum_run_planned - 1] = field[Anum_run_next - 1];
		is_null[Anum_run_next - 1] = is_null[Anum_run_next_due - 1] = true;
		if (due > now)
			is_null[Anum_run_began - 1] = true;

		memcpy(next, values, sizeof(next));
		memcpy(next_nulls, nulls, sizeof(next_nulls));
		next[Anum_ev_run - 1] = HeapTupleGetDatum(heap_form_tuple(desc, field, is_null));
		next[Anum_ev_timer - 1] = Int64GetDatum(nextval_internal(pgtq_relation("timer_id_seq"), false));
		next[Anum_ev_created - 1] = TimestampTzGetDatum(now);
		next[Anum_dl_due - 1] = TimestampTzGetDatum(Max(due, now));
		next_nulls[Anum_ev_id - 1] = next_nulls[Anum_ev_time - 1] = true;
		next_nulls[Anum_ev_owner - 1] = next_nulls[Anum_ev_retry - 1] = next_nulls[Anum_ev_expires - 1] = true;
		store_insert(1, next, next_nulls);
	}
	ReleaseTupleDesc(desc);
}

/* Is the schedule still there, and as it was? */
static bool
is_current(int64 schedule, int32 epoch)
{
	Relation	rel = table_open(pgtq_relation("schedule"), AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found;

	ScanKeyInit(&key, Anum_sc_id, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(schedule));
	command_snapshot();
	scan = systable_beginscan(rel, pgtq_relation("schedule_pkey"), true, GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext(scan);
	found = HeapTupleIsValid(tuple);
	if (found)
	{
		bool		isnull;

		found = DatumGetInt32(heap_getattr(tuple, Anum_sc_epoch, RelationGetDescr(rel), &isnull)) == epoch;
	}
	systable_endscan(scan);
	PopActiveSnapshot();
	table_close(rel, AccessShareLock);
	return found;
}
