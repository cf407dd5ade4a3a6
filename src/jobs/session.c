/*
 * src/jobs/session.c
 *		A session of jobs: runs one at a time, as its role.
 *
 * A background worker, connected as that role.  The job worker gives it a job
 * when it has committed, and flushed, that the job is running.  The session then
 *
 *	 1. reads the job's row, in a transaction of its own;
 *	 2. runs its SQL, which begins and ends transactions as it likes;
 *	 3. removes the row and notes what became of it, in another transaction.
 *
 * So there is no moment in which nobody knows of the job, and between 1 and 3
 * nobody knows how far it came: if the session dies then, the job is reported or
 * run again, as its submitter chose.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/async.h"
#include "jit/jit.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "replication/slot.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "common/now.h"
#include "compat.h"
#include "executor/action.h"
#include "executor/main.h"
#include "executor/pool.h"
#include "jobs/capture.h"
#include "jobs/execute.h"
#include "jobs/record.h"
#include "jobs/worker.h"
#include "ticker/worker.h"

/* a job that catches the cancel of its timeout is ended, with its session, so much later */
#define LAST_PATIENCE 5000

/* milliseconds between looks for the first one, of which we are told */
#define FIRST_JOB 60000

int			pgtq_job_timeout = 0;

static Session *session;
static DatabaseSlot *slot;
static MemoryContext job_context;
static TimeoutId die_timeout;
static bool has_run = false;	/* the first job comes, however long that takes */

static int64 wait_for_job(uint32 wait_event);
static bool run_job(int64 id);
static void run_action(const JobRow *row, JobResult *result);
static void action_failed(int64 id, JobResult *result);
static void begin_transaction(void);
static void end_transaction(void);
static void begin_timeouts(const JobRow *row);
static void end_timeouts(void);
static void die_handler(void);
static void publish(int64 id);
static void reset_session(void);

void
pgtq_job_session_main(Datum arg)
{
	uint32		wait_event;
	int64		id;

	session = pool_begin(arg, JOB_SESSION_TYPE);
	slot = shared_slot(MyDatabaseId);
	wait_event = NamedWaitEvent("PgtqJobSession");
	die_timeout = RegisterTimeout(USER_TIMEOUT, die_handler);
	job_context = AllocSetContextCreate(TopMemoryContext, "pgtq job", ALLOCSET_DEFAULT_SIZES);
	pool_ready(session);

	HOLD_CANCEL_INTERRUPTS();
	while ((id = wait_for_job(wait_event)) != 0)
	{
		has_run = true;
		if (run_job(id))
			reset_session();
		MemoryContextReset(job_context);
		AfterCommitNotify();
		pgstat_report_stat(true);
		LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
		session->job = 0;
		session->idle_since = clock_steady();
		LWLockRelease(shared->sessions_lock);
		if (slot != NULL)
			shared_set_latch(&slot->jobs_proc);
	}
	proc_exit(0);
}

/* Sleeps until there is a job.  0 if it is time to leave; then none is given to us any more. */
static int64
wait_for_job(uint32 wait_event)
{
	for (;;)
	{
		int64		id;
		long		timeout;

		CHECK_FOR_INTERRUPTS();
		worker_reload();
		LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
		id = session->job;
		timeout = pgtq_session_idle_timeout -
			(long) ((clock_steady() - session->idle_since) / 1000);
		if (!has_run)
			timeout = FIRST_JOB;
		if (id == 0 && timeout <= 0)
			session->leave = true;
		if (id == 0 && session->leave)
			id = -1;
		LWLockRelease(shared->sessions_lock);
		if (id != 0)
			return id == -1 ? 0 : id;
		pgstat_report_activity(STATE_IDLE, NULL);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, timeout, wait_event);
		ResetLatch(MyLatch);
	}
}

/* True if the session may get another job. */
static bool
run_job(int64 id)
{
	JobRow		row;
	JobResult	result = {0};
	bool		found;

	MemoryContextSwitchTo(job_context);
	begin_transaction();
	MemoryContextSwitchTo(job_context);
	found = record_read(id, session->role, &row);
	end_transaction();
	if (!found)
		return false;			/* the job worker settles it */
	run_action(&row, &result);
	begin_transaction();
	record_end(&row, &result);
	end_transaction();
	return !row.nulls[Anum_jo_life - 1];
}

/* Cancels are held off by our caller, and let through only while the SQL runs. */
static void
run_action(const JobRow *row, JobResult *result)
{
	int64		id = DatumGetInt64(row->values[Anum_jo_id - 1]);
	char	   *sql = TextDatumGetCString(row->values[Anum_jo_action - 1]);
	Capture    *capture = capture_new(row);

	publish(id);
	debug_query_string = sql;
	pgstat_report_activity(STATE_RUNNING, sql);
	begin_timeouts(row);
	PG_TRY();
	{
		QueryCancelPending = false;
		RESUME_CANCEL_INTERRUPTS();
		action_timer = id;
		execute_sql(sql, capture);
		HOLD_CANCEL_INTERRUPTS();
		end_timeouts();
	}
	PG_CATCH();
	{
		HOLD_CANCEL_INTERRUPTS();
		end_timeouts();
		action_failed(id, result);
	}
	PG_END_TRY();
	action_timer = 0;
	MemoryContextSwitchTo(job_context);
	result->output = capture_end(capture, &result->output_cut);
	debug_query_string = NULL;
	publish(0);
}

/* In a PG_CATCH: what PostgreSQL's own main loop does after an error. */
static void
action_failed(int64 id, JobResult *result)
{
	ErrorData  *error;

	HOLD_INTERRUPTS();
	MemoryContextSwitchTo(job_context);
	error = CopyErrorData();
	FlushErrorState();
	AbortOutOfAnyTransaction();
	PortalErrorCleanup();
	if (MyReplicationSlot != NULL)
		ReplicationSlotRelease();
	jit_reset_after_error();
	MemoryContextSwitchTo(job_context);
	result->error = error->message ? error->message : "unknown error";
	strlcpy(result->sqlstate, unpack_sql_state(error->sqlerrcode), sizeof(result->sqlstate));
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	result->is_final = error->sqlerrcode == ERRCODE_QUERY_CANCELED && session->cancel == id;
	session->cancel = 0;
	LWLockRelease(shared->sessions_lock);
	RESUME_INTERRUPTS();
}

/* One of our own: what the role has as default, or the job has set, is not for it. */
static void
begin_transaction(void)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	XactIsoLevel = XACT_READ_COMMITTED;
	XactReadOnly = false;
	XactDeferrable = false;
	PushActiveSnapshot(GetTransactionSnapshot());
}

static void
end_transaction(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
	MemoryContextSwitchTo(job_context);
}

static void
begin_timeouts(const JobRow *row)
{
	int			timeout = row->nulls[Anum_jo_timeout - 1] ? pgtq_job_timeout
		: DatumGetInt32(row->values[Anum_jo_timeout - 1]);

	if (timeout > 0)
	{
		enable_timeout_after(STATEMENT_TIMEOUT, timeout);
		enable_timeout_after(die_timeout, timeout + LAST_PATIENCE);
	}
}

static void
end_timeouts(void)
{
	disable_timeout(STATEMENT_TIMEOUT, false);
	disable_timeout(die_timeout, false);
}

/* Ends the session, as pg_terminate_backend() does. */
static void
die_handler(void)
{
	ProcDiePending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
}

/* Shows what runs; see pgtq.running. */
static void
publish(int64 id)
{
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	session->running = id;
	session->running_queue = 0;
	session->running_since = id ? clock_steady() : 0;
	if (id != 0)
		session->cancel = 0;
	LWLockRelease(shared->sessions_lock);
}

/* Leaves nothing to the next job of its group.  If it cannot, the session ends. */
static void
reset_session(void)
{
	MemoryContextSwitchTo(job_context);
	execute_sql("discard all", NULL);
	SetConfigOption("application_name", JOB_SESSION_TYPE, PGC_USERSET, PGC_S_SESSION);
	MemoryContextReset(job_context);
}
