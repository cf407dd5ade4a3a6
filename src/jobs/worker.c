/*
 * src/jobs/worker.c
 *		The job worker: begins jobs when it is time, in sessions of their own.
 *
 * Words: the *job worker* is a background worker, one in each database that has
 * jobs; it comes with the first job and goes when there has been none for a
 * while.  A *session* of a job is a background worker that is connected as the
 * role that has submitted it.
 *
 *	 pgtq.job ──► plan (in memory) ──► session of role A ──► history
 *								 └──► session of role B
 *
 * It keeps all jobs in memory (plan.c).  Of the table it reads what its last
 * snapshot has not seen, by the transaction that wrote it; so a job that is
 * committed late is found, and what is dead is not walked over twice.
 *
 * It is a superuser and runs no user code; sessions run user code, and are
 * nobody but their role.  When it ends, so do its sessions: its successor then
 * knows that what is running in the table has lost its session.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "common/now.h"
#include "common/shared.h"
#include "compat.h"
#include "executor/main.h"
#include "executor/pool.h"
#include "jobs/dispatch.h"
#include "jobs/plan.h"
#include "jobs/worker.h"
#include "ticker/worker.h"

/* milliseconds until we try again what could not be read */
#define READ_RETRY 1000

static DatabaseSlot *slot;
static Oid	my_database;
static MemoryContext cycle_context;
static char *seen = NULL;		/* the snapshot up to which all is read; NULL: nothing is */
static bool is_read = false;
static TimestampTz idle_since = 0;

/* of the ticker's process */
static int64 not_before = 0;	/* by clock_steady() */

static void detach(int code, Datum arg);
static bool prepare(void);
static void recover_task(void *arg);
static long cycle(void);
static void read_task(void *arg);
static void see(HeapTuple tuple, TupleDesc desc);
static int64 microseconds(HeapTuple tuple, TupleDesc desc, int column, int64 otherwise);
static bool has_nothing_to_do(void);

void
pgtq_jobs_main(Datum arg)
{
	Oid			database;
	uint32		wait_event;

	slot = worker_slot(arg, &database);
	my_database = database;
	if (!worker_begin(JOBS_TYPE, slot, database, &slot->jobs_pid, &slot->jobs_proc, detach))
		proc_exit(0);

	wait_event = NamedWaitEvent("PgtqJobs");
	cycle_context = AllocSetContextCreate(TopMemoryContext, "pgtq cycle", ALLOCSET_DEFAULT_SIZES);
	jobplan_init();
	dispatch_jobs_init(slot);
	if (!prepare())
		proc_exit(0);
	while (!worker_must_leave(slot, my_database) && !has_nothing_to_do())
	{
		long		timeout;

		MemoryContextSwitchTo(cycle_context);
		timeout = cycle();
		MemoryContextReset(cycle_context);
		worker_wait(timeout, wait_event);
	}
	proc_exit(0);
}

/* At our end: sessions go with us.  The ticker looks whether somebody has told us something meanwhile. */
static void
detach(int code, Datum arg)
{
	pool_terminate(my_database, true);
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (slot->jobs_pid == MyProcPid)
	{
		slot->jobs_pid = 0;
		slot->jobs_wait = false;
		pg_atomic_write_u32(&slot->jobs_proc, 0);
	}
	LWLockRelease(shared->lock);
	if (code != 0)
		pg_atomic_write_u32(&slot->jobs_news, 1);
	shared_set_latch(&slot->ticker_proc);
}

/* Waits until no session of one before us is left, and settles what these had.  False: leave. */
static bool
prepare(void)
{
	pool_terminate(MyDatabaseId, true);
	while (!worker_must_leave(slot, my_database))
	{
		long		pause = 10;

		if (pool_is_empty(MyDatabaseId, true))
		{
			if (worker_run(slot, "settling lost jobs", recover_task, NULL))
				return true;
			pause = READ_RETRY;
		}
		worker_wait(pause, PG_WAIT_EXTENSION);
	}
	return false;
}

static void
recover_task(void *arg)
{
	if (SPI_execute("select pgtq._recover_jobs()", false, 1) != SPI_OK_SELECT)
		elog(ERROR, "_recover_jobs() failed");
}

/* Everything there is to do now.  Returns for how many milliseconds there will be nothing; -1: until we are told. */
static long
cycle(void)
{
	TimestampTz now;
	TimestampTz until;

	dispatch_jobs_collect();
	if (pg_atomic_exchange_u32(&slot->jobs_news, 0) != 0)
		is_read = false;
	if (!is_read)
		is_read = worker_run(slot, "reading jobs", read_task, NULL);
	dispatch_jobs_give();

	now = GetCurrentTimestamp();
	if (!jobplan_is_empty() || !dispatch_jobs_is_idle())
		idle_since = now;
	until = Min(jobplan_wake(), dispatch_jobs_retry());
	if (!is_read)
		until = Min(until, now + READ_RETRY * INT64CONST(1000));
	if (jobplan_is_empty())
		until = Min(until, idle_since + pgtq_session_idle_timeout * INT64CONST(1000));
	if (until == DT_NOEND)
		return -1;
	return (until <= now) ? 0 : (long) Min((until - now + 999) / 1000, INT_MAX);
}

/* Reads the jobs that we have not seen. */
static void
read_task(void *arg)
{
	static SPIPlanPtr snapshot_plan = NULL;
	static SPIPlanPtr plan = NULL;
	Oid			types[1] = {TEXTOID};
	Datum		values[1];
	char	   *snapshot;

	/* before reading: what is committed in between is read twice, not never */
	worker_plan(&snapshot_plan, "select pg_current_snapshot()::text", 0, NULL);
	if (SPI_execute_plan(snapshot_plan, NULL, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the snapshot");
	snapshot = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);

	worker_plan(&plan, "select id, role, job_group, due, priority, group_limit, group_pause, life, count, last_end"
				" from pgtq._new_jobs($1) where state = 0", 1, types);
	values[0] = seen ? CStringGetTextDatum(seen) : (Datum) 0;
	if (SPI_execute_plan(plan, values, seen ? " " : "n", false, 0) != SPI_OK_SELECT)
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

static bool
has_nothing_to_do(void)
{
	return is_read && jobplan_is_empty() && dispatch_jobs_is_idle() &&
		pg_atomic_read_u32(&slot->jobs_news) == 0 &&
		TimestampDifferenceExceeds(idle_since, GetCurrentTimestamp(), pgtq_session_idle_timeout);
}

/* For the ticker, in a task: are there jobs that nobody has told of, in a restored dump for instance? */
void
jobs_look(DatabaseSlot *my_slot)
{
	static SPIPlanPtr plan = NULL;
	bool		isnull;

	worker_plan(&plan, "select exists (select from pgtq.job)", 0, NULL);
	if (SPI_execute_plan(plan, NULL, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not look at the jobs");
	if (!DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)))
		return;
	pg_atomic_write_u32(&my_slot->jobs_news, 1);
	shared_set_latch(&my_slot->jobs_proc);
}

/* For the ticker: starts the job worker if it is wanted and not there.  Returns when to come back. */
TimestampTz
jobs_ensure(DatabaseSlot *my_slot)
{
	bool		running;

	LWLockAcquire(shared->lock, LW_SHARED);
	running = my_slot->jobs_pid != 0;
	LWLockRelease(shared->lock);
	if (running || pg_atomic_read_u32(&my_slot->jobs_news) == 0)
		return DT_NOEND;
	return worker_ensure(JOBS_TYPE, "pgtq_jobs_main", my_slot, &not_before, &my_slot->jobs_wait);
}
