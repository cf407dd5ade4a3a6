/*
 * src/common/shared.c
 *		Shared memory: its making, and finding one's way in it.
 *
 * Made by the postmaster if the library is in shared_preload_libraries, and
 * anew after a crash.  There are as many slots as there can be workers.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "common/shared.h"
#include "compat.h"
#include "executor/pool.h"

SharedState *shared = NULL;
pg_atomic_uint64 *shared_waiters = NULL;

static shmem_startup_hook_type previous_startup_hook = NULL;

static Size state_size(void);
static void request_memory(void);
static void startup_memory(void);
static void init_slot(DatabaseSlot *slot);

#ifdef HAVE_SHMEM_REQUEST_HOOK
static shmem_request_hook_type previous_request_hook = NULL;

static void
request_hook(void)
{
	if (previous_request_hook)
		previous_request_hook();
	request_memory();
}
#endif

/* Asks for shared memory.  For _PG_init() while libraries are preloaded. */
void
shared_request(void)
{
#ifdef HAVE_SHMEM_REQUEST_HOOK
	previous_request_hook = shmem_request_hook;
	shmem_request_hook = request_hook;
#else
	request_memory();
#endif
	previous_startup_hook = shmem_startup_hook;
	shmem_startup_hook = startup_memory;
}

static Size
state_size(void)
{
	return MAXALIGN(add_size(offsetof(SharedState, slots),
							 mul_size(max_worker_processes, sizeof(DatabaseSlot))));
}

static void
request_memory(void)
{
	RequestAddinShmemSpace(add_size(state_size(), mul_size(BackendsAtMost(), sizeof(pg_atomic_uint64))));
	RequestAddinShmemSpace(pool_size());
	RequestNamedLWLockTranche("pgtq", 2);
}

static void
startup_memory(void)
{
	bool		found;
	bool		pool_found;
	void	   *pool;
	Size		waiters_size = mul_size(BackendsAtMost(), sizeof(pg_atomic_uint64));

	if (previous_startup_hook)
		previous_startup_hook();

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("pgtq", add_size(state_size(), waiters_size), &found);
	shared_waiters = (pg_atomic_uint64 *) ((char *) shared + state_size());
	if (!found)
	{
		memset(shared, 0, state_size());
		shared->lock = &GetNamedLWLockTranche("pgtq")[0].lock;
		shared->sessions_lock = &GetNamedLWLockTranche("pgtq")[1].lock;
		pg_atomic_init_u32(&shared->launcher_proc, 0);
		shared->slots_length = max_worker_processes;
		for (int i = 0; i < shared->slots_length; i++)
			init_slot(&shared->slots[i]);
		shared->waiters_length = BackendsAtMost();
		for (int i = 0; i < shared->waiters_length; i++)
			pg_atomic_init_u64(&shared_waiters[i], 0);
	}
	pool = ShmemInitStruct("pgtq sessions", pool_size(), &pool_found);
	pool_init(pool, pool_found);
	LWLockRelease(AddinShmemInitLock);
}

static void
init_slot(DatabaseSlot *slot)
{
	pg_atomic_init_u32(&slot->database, InvalidOid);
	pg_atomic_init_u32(&slot->ticker_proc, 0);
	pg_atomic_init_u32(&slot->executor_proc, 0);
	pg_atomic_init_u32(&slot->jobs_proc, 0);
	pg_atomic_init_u32(&slot->remote_proc, 0);
	for (int i = 0; i < WAKE_CELLS; i++)
		pg_atomic_init_u32(&slot->cells[i].waiters, 0);
	shared_reset_slot(slot);
}

/*
 * Makes a slot as new, for another database.  The sessions that wait in a cell
 * count themselves in and out, so that number stays.
 */
void
shared_reset_slot(DatabaseSlot *slot)
{
	TickerCounters *counters = &slot->counters;

	slot->maintenance_waits = false;
	slot->sessions_wait = slot->jobs_wait = slot->remote_wait = false;
	slot->started = slot->last_error_time = 0;
	slot->last_error[0] = '\0';
	pg_atomic_init_u64(&slot->planned, (uint64) DT_NOEND);
	pg_atomic_init_u64(&slot->next_due, (uint64) DT_NOEND);
	pg_atomic_init_u64(&slot->earliest, (uint64) DT_NOEND);
	pg_atomic_init_u32(&slot->news, 0);
	pg_atomic_init_u32(&slot->executor_news, 1);
	pg_atomic_init_u32(&slot->jobs_news, 0);	/* the ticker looks */
	pg_atomic_init_u32(&slot->remote_news, 0);
	pg_atomic_init_u32(&slot->prepared, 1); /* there may be some from before */
	for (int i = 0; i < WAKE_CELLS; i++)
	{
		pg_atomic_init_u32(&slot->cells[i].events, 0);
		pg_atomic_init_u32(&slot->cells[i].enough, PG_UINT32_MAX);
	}
	pg_atomic_init_u64(&counters->wakeups, 0);
	pg_atomic_init_u64(&counters->ticks, 0);
	pg_atomic_init_u64(&counters->moves, 0);
	pg_atomic_init_u64(&counters->events_moved, 0);
	pg_atomic_init_u64(&counters->clock_steps, 0);
	pg_atomic_init_u64(&counters->maintenance_runs, 0);
	pg_atomic_init_u64(&counters->errors, 0);
	for (int i = 0; i < LATENESS_BUCKETS; i++)
		pg_atomic_init_u64(&counters->lateness[i], 0);
}

/*
 * The slot of a database, or NULL.  Without a lock: a slot that is given to
 * another database in this moment is told too much, which is harmless.
 */
DatabaseSlot *
shared_slot(Oid database)
{
	static DatabaseSlot *last = NULL;

	if (shared == NULL)
		return NULL;
	if (last != NULL && pg_atomic_read_u32(&last->database) == database)
		return last;
	for (int i = 0; i < shared->slots_length; i++)
	{
		if (pg_atomic_read_u32(&shared->slots[i].database) == database)
			return last = &shared->slots[i];
	}
	return NULL;
}

/*
 * The slot of a database, made ready for a ticker to start; or one that no
 * worker uses.  NULL if the database is to be left alone.  For the launcher.
 */
DatabaseSlot *
shared_take_slot(Oid database)
{
	DatabaseSlot *slot = shared_slot(database);

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < shared->slots_length && slot == NULL; i++)
	{
		DatabaseSlot *other = &shared->slots[i];

		if (other->ticker_pid == 0 && other->maintenance_pid == 0 && other->held_by == 0 &&
			other->state != SLOT_STARTING && other->state != SLOT_RUNNING)
			slot = other;
	}
	if (slot != NULL && slot->held_by != 0)
	{
		if (BackendPidGetProc(slot->held_by) == NULL)
			slot->held_by = 0;
		else
			slot = NULL;
	}
	if (slot != NULL)
	{
		if (pg_atomic_read_u32(&slot->database) != database)
			shared_reset_slot(slot);
		pg_atomic_write_u32(&slot->database, database);
		slot->state = SLOT_STARTING;
		slot->started = GetCurrentTimestamp();
		slot->leave = false;
	}
	LWLockRelease(shared->lock);
	return slot;
}

/* Takes the slot from a database that has no ticker and shall have none. */
void
shared_free_slot(Oid database)
{
	DatabaseSlot *slot = shared_slot(database);

	if (slot == NULL)
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (slot->ticker_pid == 0 && slot->held_by == 0)
	{
		pg_atomic_write_u32(&slot->database, InvalidOid);
		slot->state = SLOT_FREE;
	}
	LWLockRelease(shared->lock);
}

/* Sets the latch of a process whose number + 1 stands in shared memory. */
void
shared_set_latch(pg_atomic_uint32 *proc)
{
	uint32		number = pg_atomic_read_u32(proc);

	if (number > 0)
		SetLatch(&GetPGProcByNumber(number - 1)->procLatch);
}

void
shared_wake_launcher(void)
{
	if (shared != NULL)
		shared_set_latch(&shared->launcher_proc);
}

/* Remembers the last error of a worker, for ticker_stats and health(). */
void
shared_note_error(DatabaseSlot *slot, const char *message)
{
	pg_atomic_fetch_add_u64(&slot->counters.errors, 1);
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	strlcpy(slot->last_error, message, sizeof(slot->last_error));
	slot->last_error_time = GetCurrentTimestamp();
	LWLockRelease(shared->lock);
}
