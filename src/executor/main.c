/*
 * src/executor/main.c
 *		The executor: reads what is due, and has it run by sessions.
 *
 * Words: the *executor* is a background worker, one per database with a queue
 * that has actions.  A *session* is a background worker that is connected as
 * a role, and runs that role's actions.  A *group* is what a session commits
 * together.  A *mark* says that a timer is done, in the done log.
 *
 *	 tick ──► executor ──► session of role A ──► effects, history and mark,
 *				  │	  └──► session of role B		in one commit
 *				  └── position, when all up to a tick has marks
 *
 * The executor consumes its queues as anybody, tick by tick (backlog.c).  It hands
 * each timer to a session of its role, through shared memory, by telling where its
 * row is (dispatch.c).  A session reads the rows in one transaction and runs them
 * in the next, which ends with what became of them and their marks (session.c,
 * action.c, outcome.c).  The position follows when everything up to a tick is
 * done, or carried.
 *
 * Exactly once: what an action did and its mark are one commit, and nothing that
 * has a mark is run again.  That two sessions never have the same timer is seen
 * to by this process alone: a timer is in one place, waiting or in one session, and if
 * a session dies the log says what of it was committed.  Sessions end with their
 * executor, and its successor begins when they have.  So a crash of anything
 * runs again what had no mark, and nothing else.
 *
 * The executor is a superuser, but runs no user code; sessions run user code,
 * and are nobody but their role.
 *
 * It locks its subscriber's row, for a moment, and what it reads and appends to.
 */
#include "postgres.h"

#include <signal.h>

#include "access/xact.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "common/now.h"
#include "common/queue.h"
#include "common/shared.h"
#include "compat.h"
#include "executor/backlog.h"
#include "executor/dispatch.h"
#include "executor/main.h"
#include "executor/pool.h"
#include "executor/settle.h"
#include "ticker/worker.h"

/* microseconds between positions, while there is much to do */
#define SAVE_INTERVAL USECS_PER_SEC

/* milliseconds until we try again what could not be read */
#define READ_RETRY 1000

int			pgtq_max_sessions = 4;
int			pgtq_max_sessions_per_role = 2;
int			pgtq_session_idle_timeout = 60000;
int			pgtq_commit_interval = 20;
int			pgtq_fetch_ahead = 10;

static DatabaseSlot *slot;
static Oid	my_database;
static MemoryContext cycle_context;
static int64 last_save = -SAVE_INTERVAL;	/* this and the next by clock_steady() */
static bool is_read = false;	/* all that was there was read */

/* of the ticker's process */
static bool is_wanted = false;
static int64 not_before = 0;

static void detach(int code, Datum arg);
static void wait_for_others(void);
static void exclude_task(void *arg);
static void cycle(void);
static void read_task(void *arg);
static long save_positions(void);

void
pgtq_executor_main(Datum arg)
{
	Oid			database;
	uint32		wait_event;

	slot = worker_slot(arg, &database);
	my_database = database;
	if (!worker_begin(EXECUTOR_TYPE, slot, database, &slot->executor_pid, &slot->executor_proc, detach))
		proc_exit(0);

	wait_event = NamedWaitEvent("PgtqExecutor");
	cycle_context = AllocSetContextCreate(TopMemoryContext, "pgtq cycle", ALLOCSET_DEFAULT_SIZES);
	backlog_init();
	dispatch_init(slot);
	wait_for_others();
	while (!worker_must_leave(slot, my_database))
	{
		long		timeout;
		long		save_timeout;

		MemoryContextSwitchTo(cycle_context);
		cycle();
		save_timeout = save_positions();
		MemoryContextReset(cycle_context);
		timeout = dispatch_timeout();
		if (!is_read)
			timeout = (timeout < 0) ? READ_RETRY : Min(timeout, READ_RETRY);
		if (save_timeout >= 0)
			timeout = (timeout < 0) ? save_timeout : Min(timeout, save_timeout);
		worker_wait(timeout, wait_event);
	}
	proc_exit(0);
}

/* At our end: sessions go with us, as nobody would know what they do. */
static void
detach(int code, Datum arg)
{
	pool_terminate(my_database, false);
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (slot->executor_pid == MyProcPid)
	{
		slot->executor_pid = 0;
		pg_atomic_write_u32(&slot->executor_proc, 0);
	}
	LWLockRelease(shared->lock);
	shared_set_latch(&slot->ticker_proc);
}

/*
 * Waits until no session of an executor before us is left, nor anybody in
 * run_due(): who comes to that later sees that we are here.
 */
static void
wait_for_others(void)
{
	pool_terminate(MyDatabaseId, false);
	while (!worker_must_leave(slot, my_database))
	{
		if (pool_is_empty(MyDatabaseId, false) &&
			worker_run(slot, "waiting for run_due()", exclude_task, NULL))
			break;
		worker_wait(10, PG_WAIT_EXTENSION);
	}
}

static void
exclude_task(void *arg)
{
	LockRelationOid(pgtq_relation("carried"), ShareLock);
}

/* Everything there is to do now. */
static void
cycle(void)
{
	dispatch_collect();
	settle_condemned(slot);
	if (pg_atomic_exchange_u32(&slot->executor_news, 0) != 0)
		is_read = false;
	do
	{
		bool		more = false;

		if (!is_read && !worker_run(slot, "reading what is due", read_task, &more))
			break;				/* whatever it is, it may pass */
		is_read = !more;
		dispatch_give();
		dispatch_collect();
		CHECK_FOR_INTERRUPTS();
	} while (!is_read && !backlog_is_full() && !worker_must_leave(slot, my_database));
	settle_carry(slot);
	settle_condemned(slot);
}

static void
read_task(void *arg)
{
	*(bool *) arg = backlog_read();
}

/*
 * Appends our positions to the log, now and then.  Returns in how many
 * milliseconds there will be something to save; -1: not by itself.
 */
static long
save_positions(void)
{
	int64		now = clock_steady();

	if (!backlog_to_save())
		return -1;
	if (last_save + SAVE_INTERVAL > now)
		return (long) ((last_save + SAVE_INTERVAL - now) / 1000) + 1;
	last_save = now;
	if (worker_run(slot, "saving positions", backlog_save, NULL))
		backlog_saved();
	return backlog_to_save() ? 1000 : -1;
}

/* For the ticker, in a task: is there a queue for an executor? */
void
executor_look(void)
{
	static SPIPlanPtr plan = NULL;
	bool		isnull;

	worker_plan(&plan, "select exists (select from pgtq.queue where queue_executor is not null)", 0, NULL);
	if (SPI_execute_plan(plan, NULL, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the queues");
	is_wanted = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/* For the ticker: what the last look has found. */
bool
executor_is_wanted(void)
{
	return is_wanted;
}

/* For the ticker: starts the executor if it is wanted and not there.  Returns when to come back. */
TimestampTz
executor_ensure(DatabaseSlot *my_slot)
{
	bool		running;

	LWLockAcquire(shared->lock, LW_SHARED);
	running = my_slot->executor_pid != 0;
	LWLockRelease(shared->lock);
	if (!is_wanted || running)
		return DT_NOEND;
	return worker_ensure(EXECUTOR_TYPE, "pgtq_executor_main", my_slot, &not_before, NULL);
}
