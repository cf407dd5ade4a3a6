/*
 * src/executor/pool.c
 *		The sessions of all executors, in shared memory.
 *
 * There are as many places as there can be background workers, so an executor
 * runs out of workers before it runs out of places.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "executor/pool.h"

Session    *sessions = NULL;
int			sessions_length = 0;

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
pool_take(Oid database, Oid role)
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
		session->pid = 0;
		session->since = session->idle_since = GetCurrentTimestamp();
		session->running = session->cancel = 0;
		session->first = session->last = 0;
		pg_atomic_write_u32(&session->proc, 0);
	}
	LWLockRelease(shared->sessions_lock);
	return session;
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
