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

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "executor/pool.h"
#include "jobs/dispatch.h"
#include "jobs/plan.h"
#include "jobs/settle.h"
#include "jobs/worker.h"
#include "ticker/worker.h"

#define MAX_FAILED_STARTS 3

/* microseconds until we try again: a slot for a worker, what failed */
#define SLOTS_RETRY USECS_PER_SEC
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
static bool start_session(Job *job, TimestampTz now);
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
	advanced = jobs_advance(slot, job, 2, pid, now, &retry_at);
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
		bool		settled;

		if (!was_ready && ++role->failures >= MAX_FAILED_STARTS)
		{
			role->failures = 0;
			settled = jobs_fail(slot, job->id, "08004", "its session could not be started; the server log says why");
		}
		else
			settled = jobs_lost(slot, job->id);
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
		if (jobs_advance(slot, job, 1, 0, now, &retry_at) != ADVANCED)
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
	if (jobs_refused(slot, job) || jobs_advance(slot, job, 1, 0, now, &retry_at) != ADVANCED)
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
