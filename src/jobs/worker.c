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
 * It keeps all jobs in memory (plan.c).  Of the table it reads what it has not
 * seen (reader.c).  Jobs that are sent to other servers have a worker of their
 * own, see src/remote.
 *
 * It is a superuser and runs no user code; sessions run user code, and are
 * nobody but their role.  When it ends, so do its sessions: its successor then
 * knows that what is running in the table has lost its session.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
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
#include "jobs/reader.h"
#include "jobs/worker.h"
#include "ticker/worker.h"

/* milliseconds until we try again what could not be read */
#define READ_RETRY 1000

static DatabaseSlot *slot;
static Oid	my_database;
static MemoryContext cycle_context;
static bool is_read = false;
static TimestampTz idle_since = 0;

/* of the ticker's process */
static int64 not_before = 0;	/* by clock_steady() */

static void detach(int code, Datum arg);
static bool prepare(void);
static void recover_task(void *arg);
static long cycle(void);
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
	if (SPI_execute("select pgtq._recover_jobs(false)", false, 1) != SPI_OK_SELECT)
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
		is_read = jobs_read(slot, false);
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

static bool
has_nothing_to_do(void)
{
	return is_read && jobplan_is_empty() && dispatch_jobs_is_idle() &&
		pg_atomic_read_u32(&slot->jobs_news) == 0 &&
		TimestampDifferenceExceeds(idle_since, GetCurrentTimestamp(), pgtq_session_idle_timeout);
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
