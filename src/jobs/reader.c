/*
 * src/jobs/reader.c
 *		Reading the jobs that are not done, from the table into memory.
 *
 * Runs in the job worker, and in that of remote jobs; each reads its own.  Of
 * the table it reads what its last snapshot has not seen, by the transaction that
 * wrote it; so a job that is committed late is found, and what is dead is not
 * walked over twice.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "jobs/plan.h"
#include "jobs/reader.h"
#include "ticker/worker.h"

static char *seen = NULL;		/* the snapshot up to which all is read; NULL: nothing is */

static void read_task(void *arg);
static void see(HeapTuple tuple, TupleDesc desc);
static int64 microseconds(HeapTuple tuple, TupleDesc desc, int column, int64 otherwise);

/* Reads the jobs that we have not seen.  False if that failed. */
bool
jobs_read(DatabaseSlot *slot, bool remote)
{
	return worker_run(slot, "reading jobs", read_task, &remote);
}

static void
read_task(void *arg)
{
	static SPIPlanPtr snapshot_plan = NULL;
	static SPIPlanPtr plan = NULL;
	Oid			types[2] = {TEXTOID, BOOLOID};
	Datum		values[2];
	char	   *snapshot;

	/* before reading: what is committed in between is read twice, not never */
	worker_plan(&snapshot_plan, "select pg_current_snapshot()::text", 0, NULL);
	if (SPI_execute_plan(snapshot_plan, NULL, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the snapshot");
	snapshot = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);

	worker_plan(&plan, "select id, role, job_group, due, priority, group_limit, group_pause, life, count, last_end"
				" from pgtq._new_jobs($1, $2) where state = 0", 2, types);
	values[0] = seen ? CStringGetTextDatum(seen) : (Datum) 0;
	values[1] = BoolGetDatum(*(bool *) arg);
	if (SPI_execute_plan(plan, values, seen ? "  " : "n ", false, 0) != SPI_OK_SELECT)
		elog(ERROR, "_new_jobs() failed");
	for (uint64 i = 0; i < SPI_processed; i++)
		see(SPI_tuptable->vals[i], SPI_tuptable->tupdesc);

	if (seen != NULL)
		pfree(seen);
	seen = MemoryContextStrdup(TopMemoryContext, snapshot);
}

static void
see(HeapTuple tuple, TupleDesc desc)
{
	JobSeen		job = {0};
	bool		isnull;
	Datum		last_end;

	job.id = DatumGetInt64(SPI_getbinval(tuple, desc, 1, &isnull));
	job.group.role = DatumGetObjectId(SPI_getbinval(tuple, desc, 2, &isnull));
	strlcpy(job.group.name, SPI_getvalue(tuple, desc, 3), NAMEDATALEN);
	job.due = DatumGetTimestampTz(SPI_getbinval(tuple, desc, 4, &isnull));
	job.priority = DatumGetInt32(SPI_getbinval(tuple, desc, 5, &isnull));
	job.limit = DatumGetInt32(SPI_getbinval(tuple, desc, 6, &isnull));
	job.pause = microseconds(tuple, desc, 7, 0);
	job.life = microseconds(tuple, desc, 8, -1);
	job.count = DatumGetInt32(SPI_getbinval(tuple, desc, 9, &isnull));
	last_end = SPI_getbinval(tuple, desc, 10, &isnull);
	job.last_end = isnull ? DT_NOBEGIN : DatumGetTimestampTz(last_end);
	jobplan_add(&job);
}

static int64
microseconds(HeapTuple tuple, TupleDesc desc, int column, int64 otherwise)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, desc, column, &isnull);
	Interval   *interval;

	if (isnull)
		return otherwise;
	interval = DatumGetIntervalP(value);
	return interval->time + (interval->day + interval->month * (int64) DAYS_PER_MONTH) * USECS_PER_DAY;
}

/* For the ticker, in a task: are there jobs that nobody has told of, in a restored dump for instance? */
void
jobs_look(DatabaseSlot *slot)
{
	static SPIPlanPtr plan = NULL;
	bool		here;
	bool		remote;
	bool		isnull;

	worker_plan(&plan, "select here, remote from pgtq._has_jobs()", 0, NULL);
	if (SPI_execute_plan(plan, NULL, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not look at the jobs");
	here = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	remote = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull));
	if (here)
	{
		pg_atomic_write_u32(&slot->jobs_news, 1);
		shared_set_latch(&slot->jobs_proc);
	}
	if (remote)
	{
		pg_atomic_write_u32(&slot->remote_news, 1);
		shared_set_latch(&slot->remote_proc);
	}
}
