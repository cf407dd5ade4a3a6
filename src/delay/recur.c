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
#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "funcapi.h"
#include "utils/builtins.h"
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

/* columns of pgtq.schedule, see structure/recur.sql */
enum
{
	Anum_sc_id = 1,
	Anum_sc_epoch,
	Anum_sc_role,
	Anum_sc_name,
	Anum_sc_queue,
	Anum_sc_action,
	Anum_sc_cron,
	Anum_sc_parsed,
	Anum_sc_every,
	Anum_sc_anchor,
	Anum_sc_timezone,
	Anum_sc_start,
	Anum_sc_end,
	Anum_sc_max_runs,
	Anum_sc_overlap,
	Anum_sc_catch_up,
	Anum_sc_window,
	Anum_sc_jitter,
	Anum_sc_drift,
	Anum_sc_timeout,
	Anum_sc_attempts,
	Anum_sc_backoff,
	Anum_sc_job,
	Anum_sc_options,
	Anum_sc_paused,
	Anum_sc_created,
	Natts_schedule = Anum_sc_created
};

typedef struct ScheduleRow
{
	Datum		values[Natts_schedule];
	bool		nulls[Natts_schedule];
} ScheduleRow;

/* what a run has from its schedule */
static const AttrNumber from_schedule[][2] = {
	{Anum_ev_schedule, Anum_sc_id},
	{Anum_ev_role, Anum_sc_role},
	{Anum_ev_data, Anum_sc_action},
	{Anum_ev_attempts, Anum_sc_attempts},
	{Anum_ev_timeout, Anum_sc_timeout},
	{Anum_ev_backoff, Anum_sc_backoff},
	{Anum_dl_queue, Anum_sc_queue}
};

static Datum row_datum(Oid type, const Datum *values, const bool *nulls);
static bool read_schedule(int64 id, int32 epoch, ScheduleRow *row);
static void store_run(const ScheduleRow *schedule, TimestampTz now, TimestampTz due, Datum run);
static void set_column(Datum *values, bool *nulls, AttrNumber column, Datum value);

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
 * Puts the next run of a schedule into the store when one has come to its end,
 * be it a timer or a job: as _end_run() does.  The run is a pgtq.run.
 */
void
recur_end(int64 schedule, Datum run)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(run);
	HeapTupleData tuple;
	TupleDesc	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header), HeapTupleHeaderGetTypMod(header));
	Datum		field[Natts_run];
	bool		is_null[Natts_run];
	ScheduleRow row;

	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	tuple.t_data = header;
	heap_deform_tuple(&tuple, desc, field, is_null);
	if (!is_null[Anum_run_next - 1] && read_schedule(schedule, DatumGetInt32(field[Anum_run_epoch - 1]), &row))
	{
		TimestampTz due = DatumGetTimestampTz(field[Anum_run_next_due - 1]);
		TimestampTz now = clock_now();

		field[Anum_run_n - 1] = Int64GetDatum(DatumGetInt64(field[Anum_run_n - 1]) + 1);
		field[Anum_run_planned - 1] = field[Anum_run_next - 1];
		is_null[Anum_run_next - 1] = is_null[Anum_run_next_due - 1] = true;
		if (due > now)
			is_null[Anum_run_began - 1] = true;
		store_run(&row, now, Max(due, now), HeapTupleGetDatum(heap_form_tuple(desc, field, is_null)));
	}
	ReleaseTupleDesc(desc);
}

/* False if the schedule is not there any more, or not as it was. */
static bool
read_schedule(int64 id, int32 epoch, ScheduleRow *row)
{
	Relation	rel = table_open(pgtq_relation("schedule"), AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found;

	ScanKeyInit(&key, Anum_sc_id, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(id));
	command_snapshot();
	scan = systable_beginscan(rel, pgtq_relation("schedule_pkey"), true, GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext(scan);
	found = HeapTupleIsValid(tuple);
	if (found)
	{
		tuple = toast_flatten_tuple(tuple, RelationGetDescr(rel));
		heap_deform_tuple(tuple, RelationGetDescr(rel), row->values, row->nulls);
		found = DatumGetInt32(row->values[Anum_sc_epoch - 1]) == epoch;
	}
	systable_endscan(scan);
	PopActiveSnapshot();
	table_close(rel, AccessShareLock);
	return found;
}

/* As _store_run() does. */
static void
store_run(const ScheduleRow *schedule, TimestampTz now, TimestampTz due, Datum run)
{
	Datum		values[Natts_delay] = {0};
	bool		nulls[Natts_delay];

	memset(nulls, true, sizeof(nulls));
	for (size_t i = 0; i < lengthof(from_schedule); i++)
	{
		values[from_schedule[i][0] - 1] = schedule->values[from_schedule[i][1] - 1];
		nulls[from_schedule[i][0] - 1] = schedule->nulls[from_schedule[i][1] - 1];
	}
	set_column(values, nulls, Anum_ev_timer, Int64GetDatum(nextval_internal(pgtq_relation("timer_id_seq"), false)));
	set_column(values, nulls, Anum_ev_created, TimestampTzGetDatum(now));
	set_column(values, nulls, Anum_ev_type, CStringGetTextDatum("timer"));
	set_column(values, nulls, Anum_ev_run, run);
	set_column(values, nulls, Anum_dl_due, TimestampTzGetDatum(due));
	store_insert(1, values, nulls);
}

static void
set_column(Datum *values, bool *nulls, AttrNumber column, Datum value)
{
	values[column - 1] = value;
	nulls[column - 1] = false;
}
