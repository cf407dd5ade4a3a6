/*
 * src/executor/action.c
 *		Running one action, as the role of the session.
 *
 * Runs in a session, which is authenticated as the role: there is nothing above
 * it that an action could escape to.  It runs in a subtransaction that ends, still
 * as the role, with everything that would else wait for the commit: deferred
 * triggers and constraints, open cursors.  Nothing of ours is locked meanwhile.
 *
 * Afterwards the session is as it was: settings, among them role and
 * search_path, prepared statements, cursors, temporary objects, advisory locks,
 * LISTENs.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "commands/async.h"
#include "commands/prepare.h"
#include "commands/sequence.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "pgstat.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "executor/action.h"
#include "executor/plans.h"

/* an action that catches the cancel of its timeout is ended, with its session, so much later */
#define LAST_PATIENCE 5000

int			pgtq_action_timeout = 60000;

/* the timer whose action runs, for current_timer(); 0: none */
int64		action_timer = 0;

static Session *session = NULL;
static Oid	base_user;			/* as whom the session began: ALTER ROLE … SET role may say another */
static TimeoutId overrun_timeout;
static TimeoutId die_timeout;
static volatile sig_atomic_t overrun = false;

static void overrun_handler(void);
static void die_handler(void);
static void begin_timeouts(int timeout);
static void end_timeouts(void);
static void run_sql(const char *sql);
static void fire_constraints(void);
static void reset_session(int nestlevel);
static void publish(int64 timer, int32 queue_id);
static ActionAgain why_again(int sqlerrcode, bool in_group, int64 timer, ActionResult *result);

/* For the session's start. */
void
action_init(Session *my_session)
{
	session = my_session;
	base_user = GetUserId();
	overrun_timeout = RegisterTimeout(USER_TIMEOUT, overrun_handler);
	die_timeout = RegisterTimeout(USER_TIMEOUT, die_handler);
}

/* Stops the statement, as a cancel does. */
static void
overrun_handler(void)
{
	overrun = true;
	QueryCancelPending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
}

/* Ends the session, as pg_terminate_backend() does. */
static void
die_handler(void)
{
	ProcDiePending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
}

/*
 * Runs the action of a timer in a subtransaction.  Cancels are held off by the
 * caller, and let through only while it runs.
 *
 * An action in a group is stopped at a time, so that what ran before it in the
 * group can be committed.
 */
ActionAgain
action_run(TimerRow *row, bool in_group, TimestampTz until, ActionResult *result)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	char	   *sql = TextDatumGetCString(row->values[Anum_ev_data - 1]);
	int64		timer = DatumGetInt64(row->values[Anum_ev_timer - 1]);
	int			nestlevel = NewGUCNestLevel();
	volatile ActionAgain again = AGAIN_NO;

	memset(result, 0, sizeof(ActionResult));
	result->started = clock_now();
	publish(timer, DatumGetInt32(row->values[Anum_dl_queue - 1]));
	debug_query_string = sql;
	pgstat_report_activity(STATE_RUNNING, sql);
	begin_timeouts(action_timeout(row));
	if (in_group)
		enable_timeout_at(overrun_timeout, until);
	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		QueryCancelPending = false;
		RESUME_CANCEL_INTERRUPTS();
		MemoryContextSwitchTo(CurTransactionContext);
		action_timer = timer;
		run_sql(sql);
		action_timer = 0;
		HOLD_CANCEL_INTERRUPTS();
		end_timeouts();
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		HOLD_CANCEL_INTERRUPTS();
		end_timeouts();
		action_timer = 0;
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		result->error = error->message ? error->message : "unknown error";
		strlcpy(result->sqlstate, unpack_sql_state(error->sqlerrcode), sizeof(result->sqlstate));
		again = why_again(error->sqlerrcode, in_group, timer, result);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	reset_session(nestlevel);
	publish(0, 0);
	debug_query_string = NULL;
	pfree(sql);
	return again;
}

/*
 * Has an action that is due soon parsed and analyzed, in a transaction of its
 * own; until that moment, and if it cannot be, then when it runs.
 */
void
action_prepare(const TimerRow *row, TimestampTz until)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *sql = TextDatumGetCString(row->values[Anum_ev_data - 1]);

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	XactIsoLevel = XACT_READ_COMMITTED;
	PushActiveSnapshot(GetTransactionSnapshot());
	enable_timeout_at(overrun_timeout, until);
	PG_TRY();
	{
		QueryCancelPending = false;
		RESUME_CANCEL_INTERRUPTS();
		plans_prepare(sql);
		HOLD_CANCEL_INTERRUPTS();
		PopActiveSnapshot();
		CommitTransactionCommand();
	}
	PG_CATCH();
	{
		HOLD_CANCEL_INTERRUPTS();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		AbortCurrentTransaction();
	}
	PG_END_TRY();
	disable_timeout(overrun_timeout, false);
	MemoryContextSwitchTo(context);
	pfree(sql);
}

static void
run_sql(const char *sql)
{
	Oid			temp_namespace;
	Oid			temp_toast_namespace;

	PushActiveSnapshot(GetTransactionSnapshot());
	plans_run(sql);
	fire_constraints();
	PortalHashTableDeleteAll();
	GetTempNamespaceState(&temp_namespace, &temp_toast_namespace);
	if (OidIsValid(temp_namespace))
		ResetTempTableNamespace();
	PopActiveSnapshot();
	CHECK_FOR_INTERRUPTS();
}

/*
 * What is deferred happens now.  This outlasts the subtransaction, so in
 * a database with deferrable constraints a group is a single action.
 */
static void
fire_constraints(void)
{
	ConstraintsSetStmt *statement = makeNode(ConstraintsSetStmt);

	statement->constraints = NIL;
	statement->deferred = false;
	AfterTriggerSetState(statement);
}

/* How long the action of a timer may take, in milliseconds; 0: for ever. */
int
action_timeout(const TimerRow *row)
{
	return row->nulls[Anum_ev_timeout - 1] ? pgtq_action_timeout
		: DatumGetInt32(row->values[Anum_ev_timeout - 1]);
}

static void
begin_timeouts(int timeout)
{
	overrun = false;
	if (timeout <= 0)
		return;
	enable_timeout_after(STATEMENT_TIMEOUT, timeout);
	enable_timeout_after(die_timeout, timeout + LAST_PATIENCE);
}

static void
end_timeouts(void)
{
	disable_timeout(STATEMENT_TIMEOUT, true);
	disable_timeout(die_timeout, false);
	disable_timeout(overrun_timeout, false);
}

/*
 * Commits actions.  A deferred trigger can have deferred itself again, and runs
 * only now: it has no more time than an action has, and can be cancelled.
 */
void
action_commit(int timeout)
{
	begin_timeouts(timeout);
	QueryCancelPending = false;
	RESUME_CANCEL_INTERRUPTS();
	CommitTransactionCommand();
	HOLD_CANCEL_INTERRUPTS();
	end_timeouts();
}

/* After an error, which has let cancels through. */
void
action_not_committed(void)
{
	HOLD_CANCEL_INTERRUPTS();
	end_timeouts();
}

/* Is an error none of the action's own?  Tells if it is one to end it all. */
static ActionAgain
why_again(int sqlerrcode, bool in_group, int64 timer, ActionResult *result)
{
	int64		cancel;

	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	cancel = session->cancel;
	session->cancel = 0;
	LWLockRelease(shared->sessions_lock);

	if (sqlerrcode == ERRCODE_QUERY_CANCELED)
	{
		if (cancel == timer)
			result->is_final = true;
		else if (overrun)
			return AGAIN_OVERRUN;
		else if (cancel != 0)
			return AGAIN_MISTAKEN;
	}
	if (in_group &&
		(sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED ||
		 sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE ||
		 sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE))
		return AGAIN_CONFLICT;
	return AGAIN_NO;
}

/*
 * Leaves nothing to the next action.  What a failed action did to settings and
 * temporary objects is undone already; this undoes what outlives a rollback.
 */
static void
reset_session(int nestlevel)
{
	AtEOXact_GUC(false, nestlevel);
	DropAllPreparedStatements();
	LockReleaseSession(USER_LOCKMETHOD);
	Async_UnlistenAll();
	ResetSequenceCaches();
	if (GetUserId() != base_user || GetOuterUserId() != base_user || GetSessionUserId() != session->role)
		ereport(FATAL,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("an action has left its session as another role")));
}

/* Shows what runs; see pgtq.running. */
static void
publish(int64 timer, int32 queue_id)
{
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	session->running = timer;
	session->running_queue = queue_id;
	session->running_since = timer ? clock_steady() : 0;
	if (timer != 0)
		session->cancel = 0;
	LWLockRelease(shared->sessions_lock);
}
