/*
 * src/executor/dispatch.c
 *		Who runs what: the sessions of an executor.
 *
 * Runs in the executor.  Sessions belong to roles; there are at most
 * pgtq.max_sessions of them in a database, and pgtq.max_sessions_per_role of one
 * role.  A role that waits while all are taken gets one of another's that is
 * idle, or that has been running that other's timers for a while: roles take
 * turns.  The last session is for a role that has none, so that two roles with
 * actions that never end do not shut out a third.
 *
 * A session whose action takes longer than pgtq.commit_interval is slow: what it
 * has not begun is taken back, and given to another.
 *
 * Of a session that died in the middle, the done log says what it has committed.
 * What it was running and did not commit may be why it died: that runs alone from
 * then on, and after three deaths has failed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "compat.h"
#include "executor/dispatch.h"
#include "executor/done.h"
#include "executor/main.h"
#include "executor/settle.h"
#include "ticker/worker.h"

/* timers that a session gets at one time; more are for another session */
#define GIVE_LIMIT 128

/* how long a role may keep a session while others wait */
#define TURN (100 * INT64CONST(1000))

#define MAX_FAILED_STARTS 3
#define SLOTS_RETRY USECS_PER_SEC

/* a timer of a session that died */
typedef struct Left
{
	Timer	   *timer;
	ItemState	state;
	bool		done;
} Left;

static DatabaseSlot *slot;
static BackgroundWorkerHandle **handles;	/* by number of the session */
static int64 slots_retry_at = 0;	/* by clock_steady() */
static bool slots_told = false;

static void collect_session(Session *session);
static void bury_session(Session *session);
static void check_done_task(void *arg);
static void is_done(int32 sub_id, int64 event, bool started, void *arg);
static void settle_left(Left *left);
static void free_session(Session *session);
static void start_failed(RoleQueue *role, const char *reason);
static void take_back(Session *session);
static bool is_slow(const Session *session, int64 now);
static bool give_role(RoleQueue *role);
static void give_to(Session *session, RoleQueue *role);
static void start_session(RoleQueue *role);
static void make_room(RoleQueue *role, int *wanted);

void
dispatch_init(DatabaseSlot *my_slot)
{
	slot = my_slot;
	handles = MemoryContextAllocZero(TopMemoryContext, sizeof(BackgroundWorkerHandle *) * sessions_length);
}

/* What sessions have done, and which of them have ended. */
void
dispatch_collect(void)
{
	int64		now = clock_steady();

	for (int i = 0; i < sessions_length; i++)
	{
		Session    *session = &sessions[i];
		SessionState state;
		pid_t		pid;

		if (handles[i] == NULL)
			continue;
		collect_session(session);
		LWLockAcquire(shared->sessions_lock, LW_SHARED);
		state = session->state;
		LWLockRelease(shared->sessions_lock);
		if (state == SESSION_ENDED ||
			GetBackgroundWorkerPid(handles[i], &pid) == BGWH_STOPPED)
			bury_session(session);
		else if (is_slow(session, now))
			take_back(session);
	}
}

/* Frees the places of what is done. */
static void
collect_session(Session *session)
{
	Timer	   *done[SESSION_ITEMS];
	int			count = 0;

	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	for (uint32 n = session->first; n != session->last; n++)
	{
		SessionItem *item = SESSION_ITEM(session, n);

		if (item->state != ITEM_DONE)
			continue;
		if (item->handle != NULL)
			done[count++] = item->handle;
		item->handle = NULL;
	}
	while (session->first != session->last && SESSION_ITEM(session, session->first)->state == ITEM_DONE)
		session->first++;
	LWLockRelease(shared->sessions_lock);
	for (int i = 0; i < count; i++)
		backlog_done(done[i]);
}

/* A session has ended: what it had goes back, or is settled. */
static void
bury_session(Session *session)
{
	Left	   *left = palloc0(sizeof(Left) * (SESSION_ITEMS + 1));
	int			count = 0;
	bool		suspects = false;
	bool		was_ready;
	RoleQueue  *role = NULL;

	collect_session(session);
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	was_ready = session->was_ready;
	for (uint32 n = session->last; n != session->first; n--)
	{
		SessionItem *item = SESSION_ITEM(session, n - 1);

		if (item->handle == NULL)
			continue;
		left[count].timer = item->handle;
		left[count].state = item->state;
		left[count].timer->work.alone |= item->work.alone;
		role = left[count].timer->role;
		suspects |= item->state == ITEM_RUNNING || item->state == ITEM_RAN;
		count++;
	}
	LWLockRelease(shared->sessions_lock);

	/* if we cannot look, nothing is lost: we come back */
	if (suspects && !worker_run(slot, "looking what a session has done", check_done_task, left))
		return;
	for (int i = 0; i < count; i++)
		settle_left(&left[i]);
	if (!was_ready && role != NULL)
		start_failed(role, "its session could not be started; the server log says why");
	else if (role != NULL)
		role->failures = 0;
	free_session(session);
	pfree(left);
}

/* Marks those that have a mark in the done log. */
static void
check_done_task(void *arg)
{
	for (Left *left = arg; left->timer != NULL; left++)
		if (left->state == ITEM_RUNNING || left->state == ITEM_RAN)
			done_read(left->timer->work.sub_id, left->timer->work.tick, left->timer->work.tick, is_done, left);
}

static void
is_done(int32 sub_id, int64 event, bool started, void *arg)
{
	Left	   *left = arg;

	if (!started && event == left->timer->work.event)
		left->done = true;
}

static void
settle_left(Left *left)
{
	Timer	   *timer = left->timer;

	if (left->done)
	{
		backlog_done(timer);
		return;
	}
	if (left->state == ITEM_RUNNING || left->state == ITEM_RAN)
	{
		/* what had run well in a group is less of a suspect */
		timer->work.alone = timer->work.cautious = true;
		if (left->state == ITEM_RUNNING)
			timer->deaths++;
	}
	backlog_wait(timer, true);
}

static void
free_session(Session *session)
{
	int			i = session - sessions;

	backlog_had_turn(session->role);
	pfree(handles[i]);
	handles[i] = NULL;
	pool_free(session);
}

/* A role whose sessions do not start fails its timers, after a while. */
static void
start_failed(RoleQueue *role, const char *reason)
{
	role->retry_at = clock_steady() + (USECS_PER_SEC / 2) * (role->failures + 1);
	if (++role->failures >= MAX_FAILED_STARTS)
	{
		settle_fail(slot, role, "08004", reason, false);
		role->failures = 0;
	}
}

/* Does its action keep others waiting? */
static bool
is_slow(const Session *session, int64 now)
{
	bool		slow;

	LWLockAcquire(shared->sessions_lock, LW_SHARED);
	slow = session->running != 0 &&
		session->running_since + pgtq_commit_interval * INT64CONST(1000) <= now;
	LWLockRelease(shared->sessions_lock);
	return slow;
}

/* Takes back what a session has not begun. */
static void
take_back(Session *session)
{
	Timer	   *taken[SESSION_ITEMS];
	int			count = 0;

	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	for (uint32 n = session->last; n != session->first; n--)
	{
		SessionItem *item = SESSION_ITEM(session, n - 1);

		if (item->state != ITEM_GIVEN && item->state != ITEM_TAKEN)
			continue;
		taken[count] = item->handle;
		taken[count++]->work.alone |= item->work.alone;
		item->state = ITEM_DONE;
		item->handle = NULL;
	}
	LWLockRelease(shared->sessions_lock);
	for (int i = 0; i < count; i++)
		backlog_wait(taken[i], true);
}

/* Gives what waits to sessions, one role after the other. */
void
dispatch_give(void)
{
	dlist_mutable_iter iter;
	int			wanted = 0;

	dlist_foreach_modify(iter, &backlog_roles)
	{
		RoleQueue  *role = dlist_container(RoleQueue, node, iter.cur);

		if (!give_role(role))
			make_room(role, &wanted);
	}
}

/*
 * Gives what waits for a role to its sessions, and starts another one if that
 * is not enough.  False if it has none, and can have none before somebody
 * leaves.
 */
static bool
give_role(RoleQueue *role)
{
	int64		now = clock_steady();
	int			total = 0;
	int			own = 0;
	bool		starting = false;

	for (int i = 0; i < sessions_length; i++)
	{
		Session    *session = &sessions[i];
		SessionState state;
		bool		leave;

		if (handles[i] == NULL)
			continue;
		total++;
		if (session->role != role->role)
			continue;
		own++;
		LWLockAcquire(shared->sessions_lock, LW_SHARED);
		state = session->state;
		leave = session->leave;
		LWLockRelease(shared->sessions_lock);
		starting |= state == SESSION_STARTING;
		if (state != SESSION_ENDED && !leave && !is_slow(session, now))
			give_to(session, role);
	}
	if (dlist_is_empty(&role->waiting) || starting || own >= pgtq_max_sessions_per_role ||
		role->retry_at > now || slots_retry_at > now)
		return true;
	if (own > 0 && total >= pgtq_max_sessions - 1)
		return true;			/* the last one is for those who have none */
	if (total >= pgtq_max_sessions)
		return false;
	if (settle_role(slot, role))
		start_session(role);
	return true;
}

static void
give_to(Session *session, RoleQueue *role)
{
	int			count = 0;

	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	while (session->last - session->first < GIVE_LIMIT && !dlist_is_empty(&role->waiting))
	{
		Timer	   *timer = backlog_next(role);
		SessionItem *item = SESSION_ITEM(session, session->last);

		if (timer->deaths >= MAX_DEATHS)
		{
			settle_condemn(timer);
			continue;
		}
		item->work = timer->work;
		item->handle = timer;
		item->state = ITEM_GIVEN;
		session->last++;
		count++;
	}
	LWLockRelease(shared->sessions_lock);
	if (count > 0)
		shared_set_latch(&session->proc);
}

/* Asks the postmaster for a session. */
static void
start_session(RoleQueue *role)
{
	Session    *session = pool_take(MyDatabaseId, role->role, false);
	BackgroundWorkerHandle *handle;
	bool		started = session != NULL && pool_start(session, SESSION_TYPE, "pgtq_session_main", &handle);

	if (started)
	{
		handles[session - sessions] = handle;
		give_to(session, role);
	}
	else if (session != NULL)
		pool_free(session);
	if (!started)
		slots_retry_at = clock_steady() + SLOTS_RETRY;
	if (!started && !slots_told)
		ereport(WARNING,
				(errmsg("timers have to wait: no free slot for a background worker"),
				 errhint("Raise \"max_worker_processes\".")));
	slots_told = !started;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	slot->sessions_wait = !started;
	LWLockRelease(shared->lock);
}

/*
 * Asks a session of another role to leave, after its group: one that is idle, or
 * else the one that has had the longest turn; one in the middle of an action that
 * takes long comes last, as nobody knows when that ends.  wanted counts the roles
 * that wait; those that will leave soon are enough for as many.
 */
static void
make_room(RoleQueue *role, int *wanted)
{
	int64		now = clock_steady();
	Session    *best = NULL;
	int			best_rank = 0;
	int			leaving = 0;

	(*wanted)++;
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	for (int i = 0; i < sessions_length; i++)
	{
		Session    *session = &sessions[i];
		bool		idle = session->first == session->last;
		bool		stuck = session->running != 0 && session->running_since + TURN <= now;
		int			rank = idle ? 2 : (stuck ? 0 : 1);

		if (handles[i] == NULL)
			continue;
		leaving += (session->leave && !stuck) ? 1 : 0;
		if (session->leave || session->state != SESSION_READY || session->role == role->role ||
			(!idle && session->since + TURN > now))
			continue;
		if (best == NULL || rank > best_rank || (rank == best_rank && session->since < best->since))
		{
			best = session;
			best_rank = rank;
		}
	}
	if (best != NULL && leaving < *wanted)
		best->leave = true;
	else
		best = NULL;
	LWLockRelease(shared->sessions_lock);
	if (best != NULL)
		shared_set_latch(&best->proc);
}

/* Gives each timer that is in a session to a function. */
void
dispatch_each(void (*each) (Timer *timer, const Session *session, bool is_running))
{
	for (int i = 0; i < sessions_length; i++)
	{
		Session    *session = &sessions[i];

		if (handles[i] == NULL)
			continue;
		for (uint32 n = session->first; n != session->last; n++)
		{
			SessionItem *item = SESSION_ITEM(session, n);

			/* a handle is ours to write, and a state that we read late is as good */
			if (item->handle != NULL)
				each(item->handle, session, item->state == ITEM_RUNNING);
		}
	}
}

/*
 * Milliseconds until we have to look at the sessions again; -1: they tell us.  An
 * action that has others behind it is slow after the commit interval; a role that
 * waits may take another's turn; and what runs for long is to be carried.
 */
long
dispatch_timeout(void)
{
	bool		behind = false;

	if (backlog_count == 0)
		return -1;
	LWLockAcquire(shared->sessions_lock, LW_SHARED);
	for (int i = 0; i < sessions_length && !behind; i++)
		behind = handles[i] != NULL && sessions[i].last - sessions[i].first > 1;
	LWLockRelease(shared->sessions_lock);
	if (behind)
		return Max(pgtq_commit_interval, 5);
	return dlist_is_empty(&backlog_roles) ? 500 : 100;
}
