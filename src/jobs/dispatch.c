/*
 * src/jobs/dispatch.c
 *		The sessions of the job worker: who gets one, and what became of it.
 *
 * Runs in the job worker.  There are at most pgtq.max_job_sessions in a database;
 * the last one goes to a role that has none, so that a role whose jobs do not end
 * does not shut out the others.  These sessions are not those of timers, and neither
 * waits for the other.
 *
 * A job is taken (committed), then gets a session that is there or a new one;
 * when that is ready the job is running (committed and flushed), and then the
 * session is told.  So a job that is only taken has not begun.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "executor/pool.h"
#include "executor/settle.h"
#include "jobs/dispatch.h"
#include "jobs/plan.h"
#include "jobs/worker.h"
#include "ticker/worker.h"

#define MAX_FAILED_STARTS 3

/* microseconds until we try again: a slot for a worker, a row that is locked, what failed */
#define SLOTS_RETRY USECS_PER_SEC
#define LOCK_RETRY (200 * INT64CONST(1000))
#define ERROR_RETRY USECS_PER_SEC

typedef struct JobSession
{
	BackgroundWorkerHandle *handle; /* NULL: there is none */
	GroupKey	group;
	Job		   *job;			/* NULL: it waits for one */
	bool		given;			/* the session has been told */
	bool		leaves;
	TimestampTz since;
	int			ran;
} JobSession;

/* a change of a job's row */
typedef struct Change
{
	int64		id;
	int			state;
	pid_t		pid;
	bool		done;
	bool		locked;
	const char *sqlstate;
	const char *error;
	Oid			role;
} Change;

typedef enum Advance
{
	ADVANCED,
	LATER,						/* somebody has its row locked, or we could not look */
	GONE						/* cancelled or expired: it is forgotten */
} Advance;

int			pgtq_max_job_sessions = 3;

static DatabaseSlot *slot;
static JobSession *mine;		/* by number of the session */
static int	in_use = 0;
static TimestampTz retry_at = DT_NOEND;
static TimestampTz slots_retry_at = DT_NOBEGIN;
static bool slots_told = false;

static void collect_session(int n, TimestampTz now);
static void begin_job(int n, pid_t pid);
static void end_job(int n, TimestampTz now);
static void bury_session(int n, bool was_ready, TimestampTz now);
static void ask_to_leave(int n);
static bool give_job(Job *job, TimestampTz now);
static int	idle_session(const GroupKey *key);
static bool may_start(const JobRole *role);
static bool refused(Job *job);
static bool start_session(Job *job, TimestampTz now);
static Advance advance(Job *job, int state, pid_t pid, TimestampTz now);
static void advance_task(void *arg);
static void lost_task(void *arg);
static void fail_task(void *arg);
static void refusal_task(void *arg);
static void retry_by(TimestampTz at);

void
dispatch_jobs_init(DatabaseSlot *my_slot)
{
	slot = my_slot;
	mine = MemoryContextAllocZero(TopMemoryContext, sizeof(JobSession) * sessions_length);
}

/* What sessions have done, and which of them have ended. */
void
dispatch_jobs_collect(void)
{
	TimestampTz now = GetCurrentTimestamp();

	retry_at = DT_NOEND;
	for (int n = 0; n < sessions_length; n++)
		if (mine[n].handle != NULL)
			collect_session(n, now);
}

static void
collect_session(int n, TimestampTz now)
{
	Session    *session = &sessions[n];
	SessionState state;
	bool		was_ready;
	bool		at_work;
	pid_t		pid;
	pid_t		worker;

	LWLockAcquire(shared->sessions_lock, LW_SHARED);
	state = session->state;
	was_ready = session->was_ready;
	at_work = session->job != 0;
	pid = session->pid;
	LWLockRelease(shared->sessions_lock);

	if (mine[n].job != NULL && mine[n].given && !at_work)
		end_job(n, now);
	if (state == SESSION_ENDED || GetBackgroundWorkerPid(mine[n].handle, &worker) == BGWH_STOPPED)
		bury_session(n, was_ready, now);
	else if (mine[n].job != NULL && !mine[n].given && state == SESSION_READY)
		begin_job(n, pid);
}

/* The session is ready: from this commit on the job is running. */
static void
begin_job(int n, pid_t pid)
{
	TimestampTz now = GetCurrentTimestamp();
	Job		   *job = mine[n].job;
	Advance		advanced;
	bool		told;

	job->group->role->failures = 0;
	advanced = advance(job, 2, pid, now);
	if (advanced == GONE)
	{
		mine[n].job = NULL;
		ask_to_leave(n);
	}
	if (advanced != ADVANCED)
		return;
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	told = sessions[n].state == SESSION_READY && sessions[n].pid == pid;
	if (told)
		sessions[n].job = job->id;
	LWLockRelease(shared->sessions_lock);
	mine[n].given = true;
	if (told)
		shared_set_latch(&sessions[n].proc);
	else
		retry_by(now);			/* it has just ended */
}

/* Its session has noted what became of it. */
static void
end_job(int n, TimestampTz now)
{
	JobSession *session = &mine[n];
	Job		   *job = session->job;
	bool		stays = job->life >= 0 && session->since + job->life > now &&
		(job->count == 0 || session->ran + 1 < job->count);

	session->ran++;
	session->job = NULL;
	session->given = false;
	jobplan_release(job, now);
	if (!stays)
		ask_to_leave(n);
}

/* A session has ended.  A job that it had was begun or not; what its row says is what counts. */
static void
bury_session(int n, bool was_ready, TimestampTz now)
{
	JobSession *session = &mine[n];
	Job		   *job = session->job;

	if (job != NULL)
	{
		JobRole    *role = job->group->role;
		Change		change = {.id = job->id, .sqlstate = "08004",
		.error = "its session could not be started; the server log says why"};
		bool		settled;

		if (!was_ready && ++role->failures >= MAX_FAILED_STARTS)
		{
			role->failures = 0;
			settled = worker_run(slot, "failing a job", fail_task, &change);
		}
		else
			settled = worker_run(slot, "settling a job", lost_task, &change);
		if (!settled)
		{
			retry_by(now + ERROR_RETRY);
			return;
		}
		if (!was_ready)
			role->retry_at = now + USECS_PER_SEC / 2 * (role->failures + 1);
		jobplan_release(job, session->given ? now : DT_NOBEGIN);
	}
	pfree(session->handle);
	memset(session, 0, sizeof(JobSession));
	in_use--;
	pool_free(&sessions[n]);
}

static void
ask_to_leave(int n)
{
	mine[n].leaves = true;
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	sessions[n].leave = true;
	LWLockRelease(shared->sessions_lock);
	shared_set_latch(&sessions[n].proc);
}

/* Begins as many jobs as there are sessions for. */
void
dispatch_jobs_give(void)
{
	for (;;)
	{
		TimestampTz now = GetCurrentTimestamp();
		Job		   *job;

		jobplan_ripen(now);
		job = jobplan_pick(now);
		if (job == NULL || !give_job(job, now))
			return;
		CHECK_FOR_INTERRUPTS();
	}
}

/* False if there is no session for it now. */
static bool
give_job(Job *job, TimestampTz now)
{
	int			n = idle_session(&job->group->key);

	if (n >= 0)
	{
		if (advance(job, 1, 0, now) != ADVANCED)
			return true;
		mine[n].job = job;
		jobplan_hold(job, now);
		begin_job(n, sessions[n].pid);
		return true;
	}
	if (!may_start(job->group->role))
	{
		/* one that waits for another group makes room */
		for (n = 0; n < sessions_length; n++)
			if (mine[n].handle != NULL && mine[n].job == NULL && !mine[n].leaves)
			{
				ask_to_leave(n);
				break;
			}
		return false;
	}
	if (slots_retry_at > now)
	{
		retry_by(slots_retry_at);
		return false;
	}
	if (refused(job) || advance(job, 1, 0, now) != ADVANCED)
		return true;
	return start_session(job, now);
}

/* A session that has run jobs of a group, and waits for more; or -1. */
static int
idle_session(const GroupKey *key)
{
	for (int n = 0; n < sessions_length; n++)
	{
		bool		is_there;

		if (mine[n].handle == NULL || mine[n].job != NULL || mine[n].leaves ||
			memcmp(&mine[n].group, key, sizeof(GroupKey)) != 0)
			continue;
		/* it leaves by itself, too; once it has the job it stays */
		LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
		is_there = sessions[n].state == SESSION_READY && !sessions[n].leave;
		if (is_there)
			sessions[n].idle_since = clock_steady();
		LWLockRelease(shared->sessions_lock);
		if (is_there)
			return n;
	}
	return -1;
}

static bool
may_start(const JobRole *role)
{
	return in_use < pgtq_max_job_sessions &&
		(role->held == 0 || in_use + 1 < pgtq_max_job_sessions);
}

/* A role that cannot have a session fails its jobs.  True also if we cannot look. */
static bool
refused(Job *job)
{
	Change		change = {.id = job->id, .sqlstate = "28000", .role = job->group->key.role};

	if (!worker_run(slot, "looking at a role", refusal_task, &change))
	{
		jobplan_delay(job, GetCurrentTimestamp() + ERROR_RETRY);
		return true;
	}
	if (change.error == NULL)
		return false;
	if (worker_run(slot, "failing a job", fail_task, &change))
		jobplan_forget(job);
	else
		jobplan_delay(job, GetCurrentTimestamp() + ERROR_RETRY);
	return true;
}

/* A job that is taken gets a new session.  False if there is none. */
static bool
start_session(Job *job, TimestampTz now)
{
	Session    *place = pool_take(MyDatabaseId, job->group->key.role, true);
	BackgroundWorkerHandle *handle;
	bool		started = place != NULL && pool_start(place, JOB_SESSION_TYPE, "pgtq_job_session_main", &handle);

	if (started)
	{
		JobSession *session = &mine[place - sessions];

		memset(session, 0, sizeof(JobSession));
		session->handle = handle;
		session->group = job->group->key;
		session->job = job;
		session->since = now;
		in_use++;
		jobplan_hold(job, now);
	}
	else
	{
		/* taken as it is, it waits for a slot */
		if (place != NULL)
			pool_free(place);
		slots_retry_at = now + SLOTS_RETRY;
		retry_by(slots_retry_at);
		if (!slots_told)
			ereport(WARNING,
					(errmsg("jobs have to wait: no free slot for a background worker"),
					 errhint("Raise \"max_worker_processes\".")));
	}
	slots_told = !started;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	slot->jobs_wait = !started;
	LWLockRelease(shared->lock);
	return started;
}

/* Moves the row of a job on.  If it is to be tried later, that is seen to. */
static Advance
advance(Job *job, int state, pid_t pid, TimestampTz now)
{
	Change		change = {.id = job->id, .state = state, .pid = pid};
	bool		looked = worker_run(slot, state == 1 ? "taking a job" : "beginning a job", advance_task, &change);

	if (looked && change.done)
		return ADVANCED;
	if (looked && !change.locked)
	{
		if (job->place == JOB_HELD)
			jobplan_release(job, DT_NOBEGIN);
		else
			jobplan_forget(job);
		return GONE;
	}
	if (job->place == JOB_HELD)
		retry_by(now + (looked ? LOCK_RETRY : ERROR_RETRY));
	else
		jobplan_delay(job, now + (looked ? LOCK_RETRY : ERROR_RETRY));
	return LATER;
}

static void
advance_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	Change	   *change = arg;
	Oid			types[3] = {INT8OID, INT4OID, INT4OID};
	Datum		values[3] = {Int64GetDatum(change->id), Int32GetDatum(change->state), Int32GetDatum((int32) change->pid)};
	bool		isnull;

	worker_plan(&plan, "select done, locked from pgtq._advance_job($1, $2, nullif($3, 0))", 3, types);
	if (SPI_execute_plan(plan, values, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "_advance_job() returned no row");
	change->done = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	change->locked = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull));
	if (change->state == 2 && change->done)
		ForceSyncCommit();		/* a crash must not make us think that it has not begun */
}

static void
lost_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	Change	   *change = arg;
	Oid			types[1] = {INT8OID};
	Datum		values[1] = {Int64GetDatum(change->id)};

	worker_plan(&plan, "select pgtq._lost_job($1)", 1, types);
	if (SPI_execute_plan(plan, values, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "_lost_job() failed");
}

static void
fail_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	Change	   *change = arg;
	Oid			types[3] = {INT8OID, TEXTOID, TEXTOID};
	Datum		values[3] = {Int64GetDatum(change->id), CStringGetTextDatum(change->sqlstate), CStringGetTextDatum(change->error)};

	worker_plan(&plan, "select pgtq._fail_job($1, $2, $3)", 3, types);
	if (SPI_execute_plan(plan, values, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "_fail_job() failed");
}

static void
refusal_task(void *arg)
{
	Change	   *change = arg;
	bool		exists;

	change->error = settle_refusal(change->role, &exists);
}

static void
retry_by(TimestampTz at)
{
	retry_at = Min(retry_at, at);
}

/* When the sessions want to be looked at again, though they have not told us. */
TimestampTz
dispatch_jobs_retry(void)
{
	return retry_at;
}

bool
dispatch_jobs_is_idle(void)
{
	return in_use == 0;
}
