/*
 * src/jobs/plan.c
 *		The jobs that are not done, in the memory of the job worker.
 *
 * A heap of what waits for its time, and for each group one of what is due.  So
 * what it takes to find the next one depends on the number of groups with
 * something due, and not on how many jobs wait, or have been.
 *
 * Roles take turns: first the one with the fewest sessions, then the one that
 * got its last one longest ago.  A role's priorities are for its own jobs.  The
 * first of a group decides whether the group may go on; those behind it wait.
 */
#include "postgres.h"

#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "jobs/plan.h"

static HTAB *jobs;
static HTAB *groups;
static HTAB *roles;
static pairingheap *waiting;
static dlist_head due_groups = DLIST_STATIC_INIT(due_groups);
static TimestampTz next_pause;	/* when a group or a role may go on that could not; of the last pick */

static int	compare_due(const pairingheap_node *a, const pairingheap_node *b, void *arg);
static int	compare_priority(const pairingheap_node *a, const pairingheap_node *b, void *arg);
static JobGroup *find_group(const GroupKey *key);
static void enqueue(Job *job);
static void dequeue(Job *job);
static bool may_go_on(const JobGroup *group, const Job *job, TimestampTz now);
static bool comes_before(const Job *a, const Job *b);

#define JOB_OF(n) pairingheap_container(Job, node, (pairingheap_node *) (n))

void
jobplan_init(void)
{
	HASHCTL		control = {0};

	control.hcxt = TopMemoryContext;
	control.keysize = sizeof(int64);
	control.entrysize = sizeof(Job);
	jobs = hash_create("pgtq jobs", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	control.keysize = sizeof(GroupKey);
	control.entrysize = sizeof(JobGroup);
	groups = hash_create("pgtq job groups", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	control.keysize = sizeof(Oid);
	control.entrysize = sizeof(JobRole);
	roles = hash_create("pgtq job roles", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	waiting = pairingheap_allocate(compare_due, NULL);
}

/* The first of a heap is the greatest: the earliest ... */
static int
compare_due(const pairingheap_node *a, const pairingheap_node *b, void *arg)
{
	const Job  *x = JOB_OF(a);
	const Job  *y = JOB_OF(b);

	if (x->due != y->due)
		return x->due < y->due ? 1 : -1;
	return x->id < y->id ? 1 : (x->id > y->id ? -1 : 0);
}

/* ... or the most urgent. */
static int
compare_priority(const pairingheap_node *a, const pairingheap_node *b, void *arg)
{
	const Job  *x = JOB_OF(a);
	const Job  *y = JOB_OF(b);

	if (x->priority != y->priority)
		return x->priority > y->priority ? 1 : -1;
	return compare_due(a, b, arg);
}

/* Takes a job in that was read; one that we know may have been planned anew. */
void
jobplan_add(const JobSeen *seen)
{
	bool		found;
	Job		   *job = hash_search(jobs, &seen->id, HASH_ENTER, &found);

	if (found && job->place == JOB_HELD)
	{
		job->again = true;
		job->due = seen->due;
		return;
	}
	if (found)
		dequeue(job);
	else
	{
		job->group = find_group(&seen->group);
		job->group->jobs++;
		job->again = false;
	}
	job->group->last_end = Max(job->group->last_end, seen->last_end);
	job->due = seen->due;
	job->priority = seen->priority;
	job->limit = seen->limit;
	job->pause = seen->pause;
	job->life = seen->life;
	job->count = seen->count;
	enqueue(job);
}

static JobGroup *
find_group(const GroupKey *key)
{
	bool		found;
	JobGroup   *group = hash_search(groups, key, HASH_ENTER, &found);

	if (found)
		return group;
	group->role = hash_search(roles, &key->role, HASH_ENTER, &found);
	if (!found)
	{
		group->role->held = group->role->failures = 0;
		group->role->last_held = group->role->retry_at = DT_NOBEGIN;
	}
	group->jobs = group->held = 0;
	group->last_end = DT_NOBEGIN;
	group->due.ph_compare = compare_priority;
	group->due.ph_arg = NULL;
	group->due.ph_root = NULL;
	return group;
}

static void
enqueue(Job *job)
{
	job->place = JOB_WAITS;
	pairingheap_add(waiting, &job->node);
}

/* Out of the heap that it is in. */
static void
dequeue(Job *job)
{
	JobGroup   *group = job->group;

	if (job->place == JOB_WAITS)
		pairingheap_remove(waiting, &job->node);
	else if (job->place == JOB_DUE)
	{
		pairingheap_remove(&group->due, &job->node);
		if (pairingheap_is_empty(&group->due))
			dlist_delete(&group->node);
	}
}

/* What has become due waits for its group from now on. */
void
jobplan_ripen(TimestampTz now)
{
	while (!pairingheap_is_empty(waiting))
	{
		Job		   *job = JOB_OF(pairingheap_first(waiting));

		if (job->due > now)
			break;
		(void) pairingheap_remove_first(waiting);
		if (pairingheap_is_empty(&job->group->due))
			dlist_push_tail(&due_groups, &job->group->node);
		job->place = JOB_DUE;
		pairingheap_add(&job->group->due, &job->node);
	}
}

/* The job that is to get the next session; NULL: none may begin now. */
Job *
jobplan_pick(TimestampTz now)
{
	Job		   *best = NULL;
	dlist_iter	iter;

	next_pause = DT_NOEND;
	dlist_foreach(iter, &due_groups)
	{
		JobGroup   *group = dlist_container(JobGroup, node, iter.cur);
		Job		   *job = JOB_OF(pairingheap_first(&group->due));

		if (may_go_on(group, job, now) && (best == NULL || comes_before(job, best)))
			best = job;
	}
	return best;
}

static bool
may_go_on(const JobGroup *group, const Job *job, TimestampTz now)
{
	TimestampTz from = group->role->retry_at;

	if (job->limit > 0 && group->held >= job->limit)
		return false;			/* until one of them ends */
	if (job->pause > 0 && group->held > 0)
		return false;
	if (job->pause > 0 && group->last_end != DT_NOBEGIN)
		from = Max(from, group->last_end + job->pause);
	if (from > now)
		next_pause = Min(next_pause, from);
	return from <= now;
}

static bool
comes_before(const Job *a, const Job *b)
{
	const JobRole *x = a->group->role;
	const JobRole *y = b->group->role;

	if (x == y)
		return compare_priority(&a->node, &b->node, NULL) > 0;
	if (x->held != y->held)
		return x->held < y->held;
	if (x->last_held != y->last_held)
		return x->last_held < y->last_held;
	return x->role < y->role;
}

/* It gets a session. */
void
jobplan_hold(Job *job, TimestampTz now)
{
	dequeue(job);
	job->place = JOB_HELD;
	job->group->held++;
	job->group->role->held++;
	job->group->role->last_held = now;
}

/* It has none any more; ended says when it did, DT_NOBEGIN that it did not begin. */
void
jobplan_release(Job *job, TimestampTz ended)
{
	job->group->held--;
	job->group->role->held--;
	job->group->last_end = Max(job->group->last_end, ended);
	job->place = JOB_WAITS;
	pairingheap_add(waiting, &job->node);
	if (!job->again)
		jobplan_forget(job);
	else
		job->again = false;
}

/* It is due, but cannot be begun now. */
void
jobplan_delay(Job *job, TimestampTz until)
{
	dequeue(job);
	job->due = until;
	enqueue(job);
}

/* It is done, or has gone. */
void
jobplan_forget(Job *job)
{
	JobGroup   *group = job->group;
	GroupKey	key = group->key;

	dequeue(job);
	group->jobs--;
	hash_search(jobs, &job->id, HASH_REMOVE, NULL);
	if (group->jobs == 0)		/* when its last run ended is in the history, too */
		hash_search(groups, &key, HASH_REMOVE, NULL);
}

/* When there will be something to begin, as far as time alone decides; after jobplan_pick(). */
TimestampTz
jobplan_wake(void)
{
	TimestampTz until = next_pause;

	if (!pairingheap_is_empty(waiting))
		until = Min(until, JOB_OF(pairingheap_first(waiting))->due);
	return until;
}

bool
jobplan_is_empty(void)
{
	return hash_get_num_entries(jobs) == 0;
}
