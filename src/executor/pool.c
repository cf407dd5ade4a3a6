/*
 * src/executor/pool.c
 *		The sessions of all executors, in shared memory.
 *
 * There are as many places as there can be background workers, so an executor
 * runs out of workers before it runs out of places.
 */
#include "postgres.h"

#include <signal.h>

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "compat.h"
#include "executor/pool.h"
#include "ticker/worker.h"

Session    *sessions = NULL;
int			sessions_length = 0;

static void detach(int code, Datum arg);
static void wake_owner(Oid database, bool for_jobs);

Size
pool_size(void)
{
	return mul_size(max_worker_processes, MAXALIGN(sizeof(Session)));
}

/* For the postmaster, when it makes shared memory, and for who attaches to it. */
void
pool_init(void *memory, bool found)
{
	sessions = memory;
	sessions_length = max_worker_processes;
	if (found)
		return;
	memset(sessions, 0, pool_size());
	for (int i = 0; i < sessions_length; i++)
		pg_atomic_init_u32(&sessions[i].proc, 0);
}

/* A place for a new session, or NULL. */
Session *
pool_take(Oid database, Oid role, bool for_jobs)
{
	Session    *session = NULL;

	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	for (int i = 0; i < sessions_length && session == NULL; i++)
		if (sessions[i].state == SESSION_FREE)
			session = &sessions[i];
	if (session != NULL)
	{
		session->state = SESSION_STARTING;
		session->generation++;
		session->was_ready = session->leave = session->orphan = false;
		session->database = database;
		session->role = role;
		session->for_jobs = for_jobs;
		session->job = 0;
		session->pid = 0;
		session->since = session->idle_since = clock_steady();
		session->running = session->cancel = 0;
		session->first = session->last = 0;
		pg_atomic_write_u32(&session->proc, 0);
	}
	LWLockRelease(shared->sessions_lock);
	return session;
}

/* Asks the postmaster for the worker that is to take the place; false if it has no slot free. */
bool
pool_start(Session *session, const char *type, const char *function, BackgroundWorkerHandle **handle)
{
	BackgroundWorker worker = {0};

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(worker.bgw_library_name, "pgtq", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, function, sizeof(worker.bgw_function_name));
	snprintf(worker.bgw_name, sizeof(worker.bgw_name), "%s of role %u", type, session->role);
	strlcpy(worker.bgw_type, type, sizeof(worker.bgw_type));
	worker.bgw_main_arg = Int32GetDatum((int32) (session - sessions));
	worker.bgw_notify_pid = MyProcPid;
	memcpy(worker.bgw_extra, &session->generation, sizeof(uint32));
	MemoryContextSwitchTo(TopMemoryContext);
	return RegisterDynamicBackgroundWorker(&worker, handle);
}

/* In that worker: takes the place, unless it is not wanted any more. */
bool
pool_attach(Session *session)
{
	bool		wanted;
	uint32		generation;

	memcpy(&generation, MyBgworkerEntry->bgw_extra, sizeof(uint32));
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	wanted = session->state == SESSION_STARTING && session->generation == generation && !session->leave;
	if (wanted)
	{
		session->pid = MyProcPid;
		pg_atomic_write_u32(&session->proc, MyProcIndex() + 1);
	}
	LWLockRelease(shared->sessions_lock);
	if (wanted)
		before_shmem_exit(detach, Int32GetDatum((int32) (session - sessions)));
	return wanted;
}

/* What a session begins with: it takes its place and connects, as its role. */
Session *
pool_begin(Datum arg, const char *type)
{
	Session    *session = &sessions[DatumGetInt32(arg)];

	worker_signals();
	if (!pool_attach(session))
		proc_exit(0);
	BackgroundWorkerInitializeConnectionByOid(session->database, session->role, SESSION_FLAGS);
	process_session_preload_libraries();
	SetConfigOption("application_name", type, PGC_USERSET, PGC_S_SESSION);
#ifdef HAVE_TRANSACTION_TIMEOUT
	/* it would end the session, for what the timeout of an action or job is there for */
	SetConfigOption("transaction_timeout", "0", PGC_USERSET, PGC_S_SESSION);
#endif
	return session;
}

/* It may get work from now on. */
void
pool_ready(Session *session)
{
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	session->state = SESSION_READY;
	session->was_ready = true;
	LWLockRelease(shared->sessions_lock);
	wake_owner(session->database, session->for_jobs);
}

/* Wakes the executor or job worker of a session. */
static void
wake_owner(Oid database, bool for_jobs)
{
	DatabaseSlot *slot = shared_slot(database);

	if (slot != NULL)
		shared_set_latch(for_jobs ? &slot->jobs_proc : &slot->executor_proc);
}

/*
 * At its end, when the transaction has ended too, as this was registered before
 * it connected.  What it had in hand is for its executor to look at.
 */
static void
detach(int code, Datum arg)
{
	Session    *session = &sessions[DatumGetInt32(arg)];
	Oid			database = session->database;
	bool		for_jobs = session->for_jobs;

	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	if (session->pid == MyProcPid)
	{
		session->state = session->orphan ? SESSION_FREE : SESSION_ENDED;
		session->pid = 0;
		session->running = 0;
		pg_atomic_write_u32(&session->proc, 0);
	}
	LWLockRelease(shared->sessions_lock);
	wake_owner(database, for_jobs);
}

/* Gives a place back. */
void
pool_free(Session *session)
{
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	session->state = SESSION_FREE;
	session->database = InvalidOid;
	session->role = InvalidOid;
	session->pid = 0;
	LWLockRelease(shared->sessions_lock);
}

/*
 * For the end and the beginning of an executor or job worker: ends its sessions in a
 * database, at once, and gives back the places of those that have ended or not begun.
 */
void
pool_terminate(Oid database, bool for_jobs)
{
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	for (int i = 0; i < sessions_length; i++)
	{
		Session    *session = &sessions[i];

		if (session->state == SESSION_FREE || session->database != database || session->for_jobs != for_jobs)
			continue;
		session->leave = session->orphan = true;
		if (session->pid != 0)
			kill(session->pid, SIGTERM);
		else
			session->state = SESSION_FREE;
	}
	LWLockRelease(shared->sessions_lock);
}

/* Are there neither such sessions in a database nor some on their way? */
bool
pool_is_empty(Oid database, bool for_jobs)
{
	bool		empty = true;

	LWLockAcquire(shared->sessions_lock, LW_SHARED);
	for (int i = 0; i < sessions_length; i++)
		if (sessions[i].state != SESSION_FREE && sessions[i].database == database && sessions[i].for_jobs == for_jobs)
			empty = false;
	LWLockRelease(shared->sessions_lock);
	return empty;
}
