/*
 * src/common/shared.h
 *		Shared memory: what sessions and background workers tell each other.
 *
 * There is a slot per database with a ticker.  Sessions read and write a slot
 * at every commit that concerns the ticker, so what they touch is atomic and
 * takes no lock; who runs where is guarded by the one lock.
 */
#ifndef PGTQ_SHARED_H
#define PGTQ_SHARED_H

#include "datatype/timestamp.h"
#include "port/atomics.h"
#include "storage/lwlock.h"

/* Queues share these: a queue has the cell of its id modulo this number. */
#define WAKE_CELLS 64

/* lateness is counted in powers of two of a microsecond; the last is over an hour */
#define LATENESS_BUCKETS 33

/* databases that sessions ask the launcher to look at; more is "all" */
#define MAX_RECHECKS 32

#define ERROR_LENGTH 256

/* most connections of remote jobs in a database */
#define MAX_REMOTE_JOBS 256

/* DatabaseSlot.news */
#define NEWS_QUEUES		0x01	/* the queues have changed: look at everything */
#define NEWS_EVENTS		0x02	/* there are events in some cell */

/* Events of the queues that share it; a wrong guess costs a look at a queue. */
typedef struct WakeCell
{
	pg_atomic_uint32 events;	/* committed since the ticker last ticked one of them */
	pg_atomic_uint32 enough;	/* tell the ticker when there are so many */
	pg_atomic_uint32 waiters;	/* sessions in wait_batch() */
} WakeCell;

/* A job that has a connection to another server, or gets one. */
typedef struct RemoteRun
{
	int64		job;			/* 0: none */
	Oid			role;
	bool		running;
	int64		since;			/* by clock_steady() */
	int64		cancel;			/* job that somebody wants to be stopped */
} RemoteRun;

typedef enum SlotState
{
	SLOT_FREE,					/* of no database */
	SLOT_STARTING,				/* a worker was asked for */
	SLOT_RUNNING,
	SLOT_ABSENT,				/* it looked: the extension is not there */
	SLOT_DISMISSED,				/* it was asked to leave */
	SLOT_STOPPED				/* it has failed */
} SlotState;

/* What the ticker has done.  Written by the workers, read by anybody. */
typedef struct TickerCounters
{
	pg_atomic_uint64 wakeups;
	pg_atomic_uint64 ticks;
	pg_atomic_uint64 moves;
	pg_atomic_uint64 events_moved;
	pg_atomic_uint64 clock_steps;
	pg_atomic_uint64 maintenance_runs;
	pg_atomic_uint64 errors;
	pg_atomic_uint64 lateness[LATENESS_BUCKETS];
} TickerCounters;

typedef struct DatabaseSlot
{
	/* atomic, written under shared->lock */
	pg_atomic_uint32 database;	/* 0: free */
	pg_atomic_uint32 ticker_proc;	/* number of its PGPROC + 1; 0: none */
	pg_atomic_uint32 executor_proc; /* the same of the executor */
	pg_atomic_uint32 jobs_proc; /* and of the job worker */
	pg_atomic_uint32 remote_proc;	/* and of the worker of remote jobs */

	/* shared->lock */
	SlotState	state;
	pid_t		ticker_pid;
	pid_t		maintenance_pid;
	pid_t		executor_pid;
	bool		sessions_wait;	/* for a worker slot of the server */
	pid_t		jobs_pid;
	bool		jobs_wait;		/* the same for sessions of jobs */
	pid_t		remote_pid;
	bool		remote_wait;	/* the same for the worker of remote jobs */
	pid_t		held_by;		/* a session that wants nobody in the database */
	bool		leave;			/* the launcher wants the ticker to end */
	bool		maintenance_waits;	/* for a worker slot of the server */
	TimestampTz started;		/* the ticker, when it was asked for */
	TimestampTz last_error_time;
	char		last_error[ERROR_LENGTH];

	/* atomic, written by the ticker */
	pg_atomic_uint64 planned;	/* until when it sleeps */
	pg_atomic_uint64 next_due;	/* of what waits, as far as it knows */

	/* atomic, written by sessions and taken by the ticker */
	pg_atomic_uint64 earliest;	/* the earliest due time they have committed */
	pg_atomic_uint32 news;		/* NEWS_* */
	pg_atomic_uint32 executor_news; /* there are ticks; taken by the executor */
	pg_atomic_uint32 jobs_news; /* there are jobs; taken by the job worker */
	pg_atomic_uint32 remote_news;	/* there are remote ones; taken by their worker */
	pg_atomic_uint32 prepared;	/* is there news in prepared transactions */
	WakeCell	cells[WAKE_CELLS];

	/* shared->sessions_lock; what runs elsewhere, written by the worker of remote jobs */
	RemoteRun	remote[MAX_REMOTE_JOBS];

	TickerCounters counters;
} DatabaseSlot;

typedef struct SharedState
{
	LWLock	   *lock;
	LWLock	   *sessions_lock;	/* of executor/pool.h; never wait for another while holding it */
	pg_atomic_uint32 launcher_proc; /* number of its PGPROC + 1; 0: none */

	/* lock */
	pid_t		launcher_pid;
	TimestampTz slots_missing_since;	/* 0: they are not */
	int			rechecks;		/* databases that may have got the extension ... */
	Oid			recheck[MAX_RECHECKS];	/* ... -1: any may have */

	int			waiters_length; /* fixed */
	int			slots_length;	/* fixed */
	DatabaseSlot slots[FLEXIBLE_ARRAY_MEMBER];
} SharedState;

/* NULL if the library was not preloaded */
extern SharedState *shared;

/*
 * Per backend, by the number of its PGPROC: the database and queue that it
 * waits for, in one word; 0 for none.  Written by its backend alone.  As
 * everybody has a place, nobody can take another's.
 */
extern pg_atomic_uint64 *shared_waiters;

extern void shared_request(void);
extern void shared_reset_slot(DatabaseSlot *slot);
extern DatabaseSlot *shared_slot(Oid database);
extern DatabaseSlot *shared_take_slot(Oid database);
extern void shared_free_slot(Oid database);
extern void shared_set_latch(pg_atomic_uint32 *proc);
extern void shared_wake_launcher(void);
extern void shared_note_error(DatabaseSlot *slot, const char *message);

static inline int
shared_cell(int32 queue_id)
{
	return (int) ((uint32) queue_id % WAKE_CELLS);
}

static inline uint64
shared_waiter_key(Oid database, int32 queue_id)
{
	return ((uint64) database << 32) | (uint32) queue_id;
}

#endif							/* PGTQ_SHARED_H */
