/*
 * src/executor/settle.c
 *		What the executor does with timers itself: fails them, or carries them.
 *
 * Runs in the executor.  Timers of a role that cannot have a session fail, and
 * say why; so do those that have killed their sessions.  Those that take too
 * long are carried, so that tables of events can be truncated; see
 * structure/executor.sql.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "compat.h"
#include "executor/carried.h"
#include "executor/dispatch.h"
#include "executor/outcome.h"
#include "executor/settle.h"
#include "ticker/worker.h"

/* a timer that runs for so long is carried */
#define CARRY_RUNNING USECS_PER_SEC

/* and one that waits for so long, if nothing of its role is done for a while */
#define CARRY_WAITING (60 * USECS_PER_SEC)
#define NO_PROGRESS (10 * USECS_PER_SEC)

/* in one transaction */
#define AT_ONCE 1000

/* timers that are failed, or carried */
typedef struct Settling
{
	int			count;
	Timer	   *timers[AT_ONCE];
	WorkItem	works[AT_ONCE]; /* carrying: where they are then */
	bool		gone[AT_ONCE];	/* carrying: there is no such event */
	const char *sqlstate;
	const char *error;
	bool		is_final;
} Settling;

/* a look at a role */
typedef struct RoleLook
{
	RoleQueue  *role;
	bool		exists;
	const char *refusal;		/* NULL: it may have a session */
} RoleLook;

static dlist_head condemned = DLIST_STATIC_INIT(condemned);
static Settling carrying;

static void look_task(void *arg);
static void fail_task(void *arg);
static void carry_running(Timer *timer, const Session *session, bool is_running);
static void carry_waiting(RoleQueue *role, int64 now);
static void carry_task(void *arg);

/* May the role have a session?  If not, its timers fail. */
bool
settle_role(DatabaseSlot *slot, RoleQueue *role)
{
	RoleLook	look = {.role = role};

	if (!worker_run(slot, "looking at a role", look_task, &look))
		return false;
	if (look.refusal == NULL)
		return true;
	settle_fail(slot, role, "28000", look.refusal, !look.exists);
	return false;
}

static void
look_task(void *arg)
{
	RoleLook   *look = arg;

	look->refusal = settle_refusal(look->role->role, &look->exists);
}

/* Why a role cannot have a session; NULL: it can. */
const char *
settle_refusal(Oid role, bool *exists)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	const char *refusal = NULL;

	*exists = HeapTupleIsValid(tuple);
	if (!*exists)
		return "the role that scheduled it does not exist any more";
	if (SESSIONS_NEED_LOGIN && !((Form_pg_authid) GETSTRUCT(tuple))->rolcanlogin)
		refusal = "the role that scheduled it is not permitted to log in";
	else if (!may_connect(MyDatabaseId, role))
		refusal = "the role that scheduled it has no CONNECT privilege for the database";
	ReleaseSysCache(tuple);
	return refusal;
}

/* Fails all timers that wait for a role. */
void
settle_fail(DatabaseSlot *slot, RoleQueue *role, const char *sqlstate, const char *error, bool is_final)
{
	while (role->is_active)
	{
		Settling   *failing = palloc0(sizeof(Settling));
		bool		done;

		failing->sqlstate = sqlstate;
		failing->error = error;
		failing->is_final = is_final;
		while (failing->count < AT_ONCE && role->is_active)
			failing->timers[failing->count++] = backlog_next(role);
		done = worker_run(slot, "failing timers", fail_task, failing);
		for (int i = failing->count - 1; i >= 0; i--)
		{
			if (done)
				backlog_done(failing->timers[i]);
			else
				backlog_wait(failing->timers[i], true);
		}
		if (!done)
		{
			role->retry_at = clock_steady() + USECS_PER_SEC;
			break;
		}
	}
}

static void
fail_task(void *arg)
{
	Settling   *failing = arg;
	ActionResult result = {.error = unconstify(char *, failing->error), .is_final = failing->is_final};
	HistoryRows history = {0};

	strlcpy(result.sqlstate, failing->sqlstate, sizeof(result.sqlstate));
	for (int i = 0; i < failing->count; i++)
	{
		TimerRow	row;

		if (!outcome_read(&failing->timers[i]->work, &row))
			continue;
		outcome_record(&row, &result, &history);
		outcome_mark(1, &failing->timers[i]->work);
	}
	history_insert(&history);
}

/* Puts a timer aside that has killed its sessions. */
void
settle_condemn(Timer *timer)
{
	dlist_push_tail(&condemned, &timer->node);
}

/* Fails those that were put aside. */
void
settle_condemned(DatabaseSlot *slot)
{
	Settling   *failing;

	if (dlist_is_empty(&condemned))
		return;
	failing = palloc0(sizeof(Settling));
	failing->sqlstate = "57P01";
	failing->error = "its session died while it ran, three times";
	failing->is_final = true;
	while (failing->count < AT_ONCE && !dlist_is_empty(&condemned))
		failing->timers[failing->count++] = dlist_container(Timer, node, dlist_pop_head_node(&condemned));
	if (worker_run(slot, "failing timers", fail_task, failing))
		for (int i = 0; i < failing->count; i++)
			backlog_done(failing->timers[i]);
	else
		for (int i = 0; i < failing->count; i++)
			settle_condemn(failing->timers[i]);
}

/* Carries what takes too long. */
void
settle_carry(DatabaseSlot *slot)
{
	int64		now = clock_steady();
	dlist_iter	iter;

	carrying.count = 0;
	dispatch_each(carry_running);
	dlist_foreach(iter, &backlog_roles)
		carry_waiting(dlist_container(RoleQueue, node, iter.cur), now);
	if (carrying.count == 0 || !worker_run(slot, "carrying timers", carry_task, &carrying))
		return;
	for (int i = 0; i < carrying.count; i++)
	{
		if (carrying.gone[i])
			continue;
		carrying.timers[i]->work = carrying.works[i];
		backlog_carry(carrying.timers[i]);
	}
}

static void
carry_running(Timer *timer, const Session *session, bool is_running)
{
	int64		since = session->running_since;

	if (is_running && timer->tick != NULL && since != 0 && carrying.count < AT_ONCE &&
		clock_steady() - since > CARRY_RUNNING)
		carrying.timers[carrying.count++] = timer;
}

static void
carry_waiting(RoleQueue *role, int64 now)
{
	dlist_iter	iter;

	if (now - role->progress < NO_PROGRESS)
		return;
	dlist_foreach(iter, &role->waiting)
	{
		Timer	   *timer = dlist_container(Timer, node, iter.cur);

		if (carrying.count == AT_ONCE)
			break;
		if (timer->tick != NULL && now - timer->read_at > CARRY_WAITING)
			carrying.timers[carrying.count++] = timer;
	}
}

/* The timers' new places count from the commit on. */
static void
carry_task(void *arg)
{
	Settling   *settling = arg;

	for (int i = 0; i < settling->count; i++)
	{
		settling->works[i] = settling->timers[i]->work;
		settling->gone[i] = !carried_put(&settling->works[i]);
	}
}
