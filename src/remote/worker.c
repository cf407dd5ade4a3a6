/*
 * src/remote/worker.c
 *		The worker of remote jobs: sends SQL to other servers, many at once.
 *
 * Words: a *remote job* is one that is sent to another server.  The worker is a
 * background worker, one in each database that has such jobs; it comes with the
 * first and goes when there has been none for a while.  A *link* is a connection.
 *
 *	 pgtq.job ──► plan (in memory) ──► link to server A, as role R ──► history
 *								 └──► link to server A, as role S
 *								 └──► link to server B
 *
 * It does for these jobs what the job worker does for those that run here, with
 * the same memory (jobs/plan.c).  It is a superuser and runs no user code: what
 * it sends runs on the other server, as whom the user mapping says.  It waits for
 * all links at once.  When it ends, so do its links; its successor settles what
 * these had.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "common/now.h"
#include "compat.h"
#include "executor/main.h"
#include "jobs/plan.h"
#include "jobs/reader.h"
#include "remote/dispatch.h"
#include "remote/worker.h"
#include "ticker/worker.h"

/* microseconds that we give other servers at our end */
#define LAST_PATIENCE USECS_PER_SEC

/* milliseconds until we try again what could not be read */
#define READ_RETRY 1000

/* each link may have one that cancels what it runs */
#define MAX_LINKS (2 * MAX_REMOTE_JOBS)

static DatabaseSlot *slot;
static MemoryContext cycle_context;
static bool is_read = false;
static TimestampTz idle_since = 0;

/* of the ticker's process */
static int64 not_before = 0;	/* by clock_steady() */

static void report(void);
static void detach(int code, Datum arg);
static bool prepare(Oid database);
static void recover_task(void *arg);
static long cycle(void);
static void wait_for_links(long timeout, uint32 wait_event);
static void stop_what_runs(void);
static bool has_nothing_to_do(void);

void
pgtq_remote_main(Datum arg)
{
	Oid			database;
	uint32		wait_event;

	slot = worker_slot(arg, &database);
	if (!worker_begin(REMOTE_TYPE, slot, database, &slot->remote_pid, &slot->remote_proc, detach))
		proc_exit(0);

	wait_event = NamedWaitEvent("PgtqRemote");
	cycle_context = AllocSetContextCreate(TopMemoryContext, "pgtq cycle", ALLOCSET_DEFAULT_SIZES);
	jobplan_init();
	dispatch_remote_init(slot);
	if (!prepare(database))
		proc_exit(0);
	while (!worker_must_leave(slot, database) && !has_nothing_to_do())
	{
		long		timeout;

		MemoryContextSwitchTo(cycle_context);
		timeout = cycle();
		pgstat_report_stat(false);
		report();
		wait_for_links(timeout, wait_event);
		CHECK_FOR_INTERRUPTS();
		worker_reload();
		MemoryContextReset(cycle_context);
	}
	proc_exit(0);
}

/* For pg_stat_activity. */
static void
report(void)
{
	char		activity[200];

	dispatch_remote_describe(activity, sizeof(activity));
	pgstat_report_activity(dispatch_remote_is_idle() ? STATE_IDLE : STATE_RUNNING, activity);
}

/* At our end.  The ticker looks whether somebody has told us something meanwhile. */
static void
detach(int code, Datum arg)
{
	stop_what_runs();
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	memset(slot->remote, 0, sizeof(slot->remote));
	LWLockRelease(shared->sessions_lock);
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (slot->remote_pid == MyProcPid)
	{
		slot->remote_pid = 0;
		slot->remote_wait = false;
		pg_atomic_write_u32(&slot->remote_proc, 0);
	}
	LWLockRelease(shared->lock);
	if (code != 0)
		pg_atomic_write_u32(&slot->remote_news, 1);
	shared_set_latch(&slot->ticker_proc);
}

/* Settles what one before us has left.  False: leave. */
static bool
prepare(Oid database)
{
	while (!worker_must_leave(slot, database))
	{
		if (worker_run(slot, "settling lost jobs", recover_task, NULL))
			return true;
		worker_wait(READ_RETRY, PG_WAIT_EXTENSION);
	}
	return false;
}

static void
recover_task(void *arg)
{
	if (SPI_execute("select pgtq._recover_jobs(true)", false, 1) != SPI_OK_SELECT)
		elog(ERROR, "_recover_jobs() failed");
}

/* Everything there is to do now.  Returns for how many milliseconds there will be nothing; -1: until we are told. */
static long
cycle(void)
{
	TimestampTz now;
	TimestampTz until;

	dispatch_remote_collect();
	if (pg_atomic_exchange_u32(&slot->remote_news, 0) != 0)
		is_read = false;
	if (!is_read)
		is_read = jobs_read(slot, true);
	dispatch_remote_give();

	now = GetCurrentTimestamp();
	if (!jobplan_is_empty() || !dispatch_remote_is_idle())
		idle_since = now;
	until = Min(jobplan_wake(), dispatch_remote_retry());
	if (!is_read)
		until = Min(until, now + READ_RETRY * INT64CONST(1000));
	if (jobplan_is_empty())
		until = Min(until, idle_since + pgtq_session_idle_timeout * INT64CONST(1000));
	if (until == DT_NOEND)
		return -1;
	return (until <= now) ? 0 : (long) Min((until - now + 999) / 1000, INT_MAX);
}

/* What we were about to wait for, nobody will: our successor takes it for lost. */
static void
stop_what_runs(void)
{
	int64		until = clock_steady() + LAST_PATIENCE;

	while (dispatch_remote_stop() && clock_steady() < until)
		wait_for_links(LAST_PATIENCE / 10 / 1000, PG_WAIT_EXTENSION);
}

/* Until our latch is set or another server has something to say. */
static void
wait_for_links(long timeout, uint32 wait_event)
{
	Link	   *links[MAX_LINKS];
	WaitEvent	events[MAX_LINKS + 2];
	int			count = dispatch_remote_links(links, MAX_LINKS);
	WaitEventSet *set = CreateLongWaitEventSet(count + 2);
	int			told;

	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	for (int i = 0; i < count; i++)
		AddWaitEventToSet(set, links[i]->wants, link_socket(links[i]), NULL, links[i]);

	told = WaitEventSetWait(set, timeout, events, count + 2, wait_event);
	FreeWaitEventSet(set);
	for (int i = 0; i < told; i++)
		if (events[i].user_data != NULL)
			((Link *) events[i].user_data)->is_ready = true;
	ResetLatch(MyLatch);
}

static bool
has_nothing_to_do(void)
{
	return is_read && jobplan_is_empty() && dispatch_remote_is_idle() &&
		pg_atomic_read_u32(&slot->remote_news) == 0 &&
		TimestampDifferenceExceeds(idle_since, GetCurrentTimestamp(), pgtq_session_idle_timeout);
}

/* For the ticker: starts the worker if it is wanted and not there.  Returns when to come back. */
TimestampTz
remote_ensure(DatabaseSlot *my_slot)
{
	bool		running;

	LWLockAcquire(shared->lock, LW_SHARED);
	running = my_slot->remote_pid != 0;
	LWLockRelease(shared->lock);
	if (running || pg_atomic_read_u32(&my_slot->remote_news) == 0)
		return DT_NOEND;
	return worker_ensure(REMOTE_TYPE, "pgtq_remote_main", my_slot, &not_before, &my_slot->remote_wait);
}
