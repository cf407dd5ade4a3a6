/*
 * src/jobs/record.c
 *		The row of a job that is run, and what becomes of it.
 *
 * Runs in the session of the job, which is connected as a role that may do
 * nothing here.  So it works on tables directly: no SQL runs in a session but its
 * user's own, whose settings have no say in this.  While a job is running nobody
 * else writes to its row.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

#include "common/insert.h"
#include "common/now.h"
#include "common/queue.h"
#include "common/wake.h"
#include "delay/recur.h"
#include "executor/outcome.h"
#include "history/history.h"
#include "jobs/record.h"

#define JOB_PLANNED 0
#define JOB_RUNNING 2

/* columns of the history that are taken over */
static const AttrNumber from_job[][2] = {
	{Anum_hi_timer, Anum_jo_id},
	{Anum_hi_role, Anum_jo_role},
	{Anum_hi_due, Anum_jo_due},
	{Anum_hi_created, Anum_jo_created},
	{Anum_hi_started, Anum_jo_started},
	{Anum_hi_timeout, Anum_jo_timeout},
	{Anum_hi_action, Anum_jo_action},
	{Anum_hi_group, Anum_jo_group},
	{Anum_hi_parent, Anum_jo_parent},
	{Anum_hi_info, Anum_jo_info},
	{Anum_hi_schedule, Anum_jo_schedule}
};

static HeapTuple find(Relation rel, int64 id, SysScanDesc *scan);
static void add_history(const JobRow *row, TimerStatus status, const JobResult *result);
static void plan_anew(Relation rel, JobRow *row);
static void set_column(Datum *values, bool *nulls, AttrNumber column, Datum value);

/*
 * Reads the row of a job into the current memory context, with the active
 * snapshot.  False if it is not there, or not for us to run.
 */
bool
record_read(int64 id, Oid role, JobRow *row)
{
	Relation	rel = table_open(pgtq_relation("job"), AccessShareLock);
	SysScanDesc scan;
	HeapTuple	tuple = find(rel, id, &scan);
	bool		found = HeapTupleIsValid(tuple);

	if (found)
	{
		tuple = toast_flatten_tuple(tuple, RelationGetDescr(rel));
		heap_deform_tuple(tuple, RelationGetDescr(rel), row->values, row->nulls);
		found = DatumGetObjectId(row->values[Anum_jo_role - 1]) == role &&
			DatumGetInt16(row->values[Anum_jo_state - 1]) == JOB_RUNNING &&
			!row->nulls[Anum_jo_pid - 1] && DatumGetInt32(row->values[Anum_jo_pid - 1]) == MyProcPid;
	}
	systable_endscan(scan);
	table_close(rel, NoLock);
	return found;
}

static HeapTuple
find(Relation rel, int64 id, SysScanDesc *scan)
{
	ScanKeyData key;

	ScanKeyInit(&key, Anum_jo_id, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(id));
	*scan = systable_beginscan(rel, pgtq_relation("job_pkey"), true, GetActiveSnapshot(), 1, &key);
	return systable_getnext(*scan);
}

/*
 * Notes what became of a job; one that may be tried again is planned anew, and
 * after a run of a schedule the next.  See _end_job().
 */
void
record_end(JobRow *row, const JobResult *result)
{
	Relation	rel = table_open(pgtq_relation("job"), RowExclusiveLock);
	int32		attempt = DatumGetInt32(row->values[Anum_jo_attempt - 1]) + 1;
	bool		again = result->error != NULL && !result->is_final &&
		attempt < DatumGetInt32(row->values[Anum_jo_attempts - 1]);
	SysScanDesc scan;
	HeapTuple	tuple = find(rel, DatumGetInt64(row->values[Anum_jo_id - 1]), &scan);

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "job " INT64_FORMAT " has gone while it ran", DatumGetInt64(row->values[Anum_jo_id - 1]));
	simple_heap_delete(rel, &tuple->t_self);
	systable_endscan(scan);
	add_history(row, result->error == NULL ? TIMER_FIRED : (again ? TIMER_RETRIED : TIMER_FAILED), result);
	if (again)
		plan_anew(rel, row);
	else if (!row->nulls[Anum_jo_run - 1])
		recur_end(DatumGetInt64(row->values[Anum_jo_schedule - 1]), row->values[Anum_jo_run - 1]);
	table_close(rel, NoLock);
	ForceSyncCommit();
}

static void
add_history(const JobRow *row, TimerStatus status, const JobResult *result)
{
	Datum		values[Natts_history] = {0};
	bool		nulls[Natts_history];

	memset(nulls, true, sizeof(nulls));
	for (size_t i = 0; i < lengthof(from_job); i++)
	{
		values[from_job[i][0] - 1] = row->values[from_job[i][1] - 1];
		nulls[from_job[i][0] - 1] = row->nulls[from_job[i][1] - 1];
	}
	set_column(values, nulls, Anum_hi_status, Int16GetDatum((int16) status));
	set_column(values, nulls, Anum_hi_attempt, Int32GetDatum(DatumGetInt32(row->values[Anum_jo_attempt - 1]) + 1));
	set_column(values, nulls, Anum_hi_pid, Int32GetDatum(MyProcPid));
	set_column(values, nulls, Anum_hi_finished, TimestampTzGetDatum(clock_now()));
	if (result->error != NULL)
	{
		set_column(values, nulls, Anum_hi_sqlstate, CStringGetTextDatum(result->sqlstate));
		set_column(values, nulls, Anum_hi_error, CStringGetTextDatum(result->error));
	}
	if (result->output != NULL)
		set_column(values, nulls, Anum_hi_output, CStringGetTextDatum(result->output));
	set_column(values, nulls, Anum_hi_output_cut, BoolGetDatum(result->output_cut));
	history_add_job(values, nulls);
}

static void
plan_anew(Relation rel, JobRow *row)
{
	int32		attempt = DatumGetInt32(row->values[Anum_jo_attempt - 1]);
	TimestampTz due = outcome_retry_time(DatumGetIntervalP(row->values[Anum_jo_backoff - 1]), attempt);

	set_column(row->values, row->nulls, Anum_jo_txid, FullTransactionIdGetDatum(GetTopFullTransactionId()));
	set_column(row->values, row->nulls, Anum_jo_state, Int16GetDatum(JOB_PLANNED));
	set_column(row->values, row->nulls, Anum_jo_attempt, Int32GetDatum(attempt + 1));
	set_column(row->values, row->nulls, Anum_jo_due, TimestampTzGetDatum(due));
	row->nulls[Anum_jo_pid - 1] = row->nulls[Anum_jo_started - 1] = true;
	insert_row(rel, Natts_job, row->values, row->nulls);
	wake_jobs(false);
}

static void
set_column(Datum *values, bool *nulls, AttrNumber column, Datum value)
{
	values[column - 1] = value;
	nulls[column - 1] = false;
}
