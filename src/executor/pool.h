/*
 * src/executor/pool.h
 *		The sessions of all executors, in shared memory.
 *
 * A session is a background worker that is connected as the role whose actions
 * it runs.  The executor of its database gives it timers by where their rows
 * are; the session takes them in order, a group at a time.
 *
 *	 GIVEN     waits; the executor may take it back
 *	 TAKEN     read by the session, not begun; the executor may take it back
 *	 RUNNING   its action runs
 *	 RAN       its action has run, the group is not committed
 *	 DONE      committed, or the executor took it back: its place may be used again
 *
 * A session of a job is in here, too.  It belongs to the job worker, which gives it one job at
 * a time and no items; see src/jobs.
 *
 * All of it is guarded by shared->sessions_lock, unless it says otherwise.
 */
#ifndef PGTQ_POOL_H
#define PGTQ_POOL_H

#include "datatype/timestamp.h"
#include "postmaster/bgworker.h"
#include "port/atomics.h"
#include "storage/itemptr.h"

#include "common/shared.h"

/* timers that a session can have at one time */
#define SESSION_ITEMS 256

/* subtransactions in a transaction beyond which every other session pays */
#define GROUP_ACTIONS 60

typedef enum ItemState
{
	ITEM_DONE,
	ITEM_GIVEN,
	ITEM_TAKEN,
	ITEM_RUNNING,
	ITEM_RAN
} ItemState;

/* a timer that is to be run: where its event is */
typedef struct WorkItem
{
	int32		sub_id;
	int32		queue_id;
	int64		tick;			/* with which it came */
	int64		event;
	Oid			relid;
	ItemPointerData tid;
	TimestampTz due;			/* not to be run before */
	bool		alone;			/* in a transaction of its own */
	bool		cautious;		/* it may kill: note before that it begins */
} WorkItem;

typedef struct SessionItem
{
	WorkItem	work;
	ItemState	state;
	void	   *handle;			/* the executor's own */
} SessionItem;

typedef enum SessionState
{
	SESSION_FREE,
	SESSION_STARTING,
	SESSION_READY,
	SESSION_ENDED				/* the executor has to look at what is left */
} SessionState;

typedef struct Session
{
	SessionState state;
	uint32		generation;		/* of the worker that it is for */
	bool		was_ready;
	bool		leave;			/* asked to end, after its group */
	bool		orphan;			/* its executor has ended: it gives its place back itself */
	bool		for_jobs;		/* its executor is the job worker */
	Oid			database;
	Oid			role;
	pid_t		pid;
	pg_atomic_uint32 proc;		/* number of its PGPROC + 1; 0: none.  Atomic */
	int64		since;			/* when it was started; by clock_steady(), as all times here */
	int64		idle_since;

	int64		running;		/* timer whose action runs; 0: none */
	int32		running_queue;
	int64		running_since;
	int64		cancel;			/* timer that somebody wants to be stopped */

	int64		job;			/* of a session for jobs: to be run; 0: none, or it is done */

	uint32		first;			/* items first .. last - 1, each at its number modulo SESSION_ITEMS */
	uint32		last;
	SessionItem items[SESSION_ITEMS];
} Session;

extern Session *sessions;
extern int	sessions_length;

#define SESSION_ITEM(session, n) (&(session)->items[(n) % SESSION_ITEMS])

extern Size pool_size(void);
extern void pool_init(void *memory, bool found);
extern Session *pool_take(Oid database, Oid role, bool for_jobs);
extern bool pool_start(Session *session, const char *type, const char *function, BackgroundWorkerHandle **handle);
extern bool pool_attach(Session *session);
extern Session *pool_begin(Datum arg, const char *type);
extern void pool_ready(Session *session);
extern void pool_free(Session *session);
extern void pool_terminate(Oid database, bool for_jobs);
extern bool pool_is_empty(Oid database, bool for_jobs);

#endif							/* PGTQ_POOL_H */
