/*
 * src/remote/dispatch.c
 *		The connections of remote jobs: who gets one, and what became of it.
 *
 * Runs in the worker of remote jobs.  There are at most pgtq.max_remote_jobs in a
 * database; the last one goes to a role that has none, so that a role whose jobs do
 * not end does not shut out the others.
 *
 * A job is taken (committed), then gets a connection; when that is there the job is
 * running (committed and flushed), and then its SQL is sent.  So a job that is only
 * taken has not begun, and one that could not be connected is tried again as often
 * as its submitter chose.  One that is running may have begun, and if its connection
 * is lost nobody knows how far it came.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "executor/main.h"
#include "jobs/plan.h"
#include "jobs/settle.h"
#include "remote/dispatch.h"
#include "remote/tasks.h"
#include "remote/worker.h"

/* milliseconds after which a job that does not heed a cancel loses its connection */
#define LAST_PATIENCE 5000

/* microseconds until we try again: files that we may open, what failed */
#define FILES_RETRY USECS_PER_SEC
#define ERROR_RETRY USECS_PER_SEC

typedef enum StopReason
{
	STOP_NOT,
	STOP_TIMEOUT,
	STOP_CANCELLED
} StopReason;

typedef struct Place
{
	Link	   *link;			/* NULL: there is none */
	Job		   *job;			/* NULL: it waits for one, or resets itself */
	int64		stop_at;		/* by clock_steady(), as all these; 0: never */
	int64		break_at;
	int64		leave_at;		/* it has waited long enough */
	TimestampTz since;
	GroupKey	group;
	StopReason	stop;
	int			ran;			/* jobs */
	bool		begun;			/* the job is running */
	bool		sent;			/* its SQL was sent */
} Place;

int			pgtq_max_remote_jobs = 64;

static DatabaseSlot *slot;
static Place places[MAX_REMOTE_JOBS];
static TimestampTz retry_at = DT_NOEND;
static bool files_told = false;

static void look_at(int n, TimestampTz now);
static void begin_job(int n, TimestampTz now);
static void send_job(int n, TimestampTz now);
static void watch_job(int n);
static void stop_job(Place *place, StopReason reason);
static void end_job(int n, TimestampTz now);
static void keep_place(int n);
static void drop(Place *place);
static bool give_job(Job *job, TimestampTz now);
static void fail_job(Job *job, const RemoteOptions *options, TimestampTz now);
static int	waiting_place(const GroupKey *key, const RemoteOptions *options);
static int	free_place(void);
static bool has_room(const JobRole *role);
static void take_place(int n, Job *job, TimestampTz now);
static void publish(int n, bool running);
static void retry_by(TimestampTz at);
static void retry_by_steady(int64 at);

void
dispatch_remote_init(DatabaseSlot *my_slot)
{
	slot = my_slot;
}

/* What the other servers have done. */
void
dispatch_remote_collect(void)
{
	TimestampTz now = GetCurrentTimestamp();

	retry_at = DT_NOEND;
	for (int n = 0; n < MAX_REMOTE_JOBS; n++)
		if (places[n].link != NULL)
			look_at(n, now);
}

static void
look_at(int n, TimestampTz now)
{
	Place	   *place = &places[n];
	Link	   *link = place->link;

	link_work(link);
	if (link->is_ready)
		retry_by(now);			/* there was too much for one time */
	if (place->job != NULL && place->sent && link->state == LINK_RUNNING)
		watch_job(n);
	if (place->job == NULL)
	{
		if (link->state == LINK_CLOSED || link->error != NULL || clock_steady() >= place->leave_at)
			drop(place);
		else
			retry_by_steady(place->leave_at);
	}
	else if (link->state == LINK_CONNECTING)
		retry_by_steady(link->connect_by);
	else if (link->state == LINK_CLOSED || place->sent)
	{
		if (link->state != LINK_RUNNING)
			end_job(n, now);
	}
	else
		begin_job(n, now);
}

/* It has a connection: from this commit on the job is running. */
static void
begin_job(int n, TimestampTz now)
{
	Place	   *place = &places[n];

	if (!place->begun)
	{
		Advance		advanced = jobs_advance(slot, place->job, 2, MyProcPid, now, &retry_at);

		if (advanced == GONE)
			drop(place);
		if (advanced != ADVANCED)
			return;
		place->job->group->role->failures = 0;
		place->begun = true;
	}
	send_job(n, now);
}

static void
send_job(int n, TimestampTz now)
{
	Place	   *place = &places[n];
	Job		   *job = place->job;
	RemoteText	text;

	if (!remote_read_text(slot, job->id, job->group->key.role, place->link->run_context, &text))
	{
		retry_by(now + ERROR_RETRY);
		return;
	}
	if (!text.found)
		ereport(LOG, (errmsg("job " INT64_FORMAT " has gone while it got a connection", job->id)));
	place->sent = true;
	place->stop_at = text.timeout > 0 ? clock_steady() + text.timeout * INT64CONST(1000) : 0;
	publish(n, true);
	link_run(place->link, text.statements, text.capture);
	if (place->link->state != LINK_RUNNING)
		end_job(n, now);		/* there was nothing to do, or it could not be sent */
	else
		watch_job(n);
}

/* Does somebody, or the time, want it to stop? */
static void
watch_job(int n)
{
	Place	   *place = &places[n];
	int64		now = clock_steady();
	bool		cancelled;

	LWLockAcquire(shared->sessions_lock, LW_SHARED);
	cancelled = slot->remote[n].cancel == place->job->id;
	LWLockRelease(shared->sessions_lock);
	if (place->stop != STOP_CANCELLED && cancelled)
		stop_job(place, STOP_CANCELLED);
	else if (place->stop == STOP_NOT && place->stop_at != 0 && now >= place->stop_at)
		stop_job(place, STOP_TIMEOUT);
	else if (place->stop != STOP_NOT && now >= place->break_at)
		link_break(place->link, "it did not end when it was cancelled");
	else
		retry_by_steady(place->stop != STOP_NOT ? place->break_at : (place->stop_at != 0 ? place->stop_at : PG_INT64_MAX));
}

static void
stop_job(Place *place, StopReason reason)
{
	if (place->stop == STOP_NOT)
	{
		place->break_at = clock_steady() + LAST_PATIENCE * INT64CONST(1000);
		link_cancel(place->link);
	}
	place->stop = reason;
	retry_by_steady(place->break_at);
	retry_by(GetCurrentTimestamp());	/* its canceller is new */
}

/* Notes what became of a job.  If that fails we come back. */
static void
end_job(int n, TimestampTz now)
{
	Place	   *place = &places[n];
	Link	   *link = place->link;
	Job		   *job = place->job;
	RemoteEnd	end = {.id = job->id};
	bool		keep;

	if (link->error != NULL)
	{
		end.sqlstate = link->sqlstate;
		end.error = link->error;
	}
	else if (link->state == LINK_CLOSED && !place->sent)
	{
		end.sqlstate = "08001";
		end.error = "its connection was lost before it began";
	}
	if (place->stop == STOP_TIMEOUT && end.sqlstate != NULL && strcmp(end.sqlstate, "57014") == 0)
		end.error = "canceling statement due to statement timeout";
	end.is_final = place->stop == STOP_CANCELLED;
	end.lost = link->lost;
	if (place->sent)
		end.output = capture_end(link->capture, &end.output_cut);
	if (!remote_note_end(slot, &end))
	{
		retry_by(now + ERROR_RETRY);
		return;
	}
	keep = link_is_usable(link) && job->life >= 0 && place->since + job->life > now &&
		(job->count == 0 || place->ran + 1 < job->count);
	jobplan_release(job, place->begun ? now : DT_NOBEGIN);
	if (keep)
		keep_place(n);
	else
		drop(place);
}

/* The connection forgets what the job has left in it, and waits for another one of its group. */
static void
keep_place(int n)
{
	Place	   *place = &places[n];

	place->job = NULL;
	place->begun = place->sent = false;
	place->stop = STOP_NOT;
	place->ran++;
	place->leave_at = clock_steady() + pgtq_session_idle_timeout * INT64CONST(1000);
	retry_by_steady(place->leave_at);
	publish(n, false);
	link_reset(place->link);
}

static void
drop(Place *place)
{
	link_close(place->link);
	memset(place, 0, sizeof(Place));
	publish(place - places, false);
}

/* Begins to connect for as many jobs as there is room for. */
void
dispatch_remote_give(void)
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

/* False if there is no room for it now. */
static bool
give_job(Job *job, TimestampTz now)
{
	RemoteOptions *options;
	int			n;
	Link	   *link;

	if (!has_room(job->group->role))
		return false;
	if (jobs_refused(slot, job) || jobs_advance(slot, job, 1, 0, now, &retry_at) != ADVANCED)
		return true;
	if (!remote_read_options(slot, job->id, job->group->key.role, &options))
	{
		jobplan_delay(job, now + ERROR_RETRY);
		return true;
	}
	if (options->error != NULL)
	{
		fail_job(job, options, now);
		return true;
	}
	n = waiting_place(&job->group->key, options);
	if (n >= 0)
	{
		take_place(n, job, now);
		begin_job(n, now);
		return true;
	}
	n = free_place();
	if (places[n].link != NULL)
		drop(&places[n]);
	link = link_open(options);
	if (link == NULL)
	{
		/* taken as it is, it waits for files to be closed */
		jobplan_delay(job, now + FILES_RETRY);
		if (!files_told)
			ereport(WARNING,
					(errmsg("remote jobs have to wait: too many files are open"),
					 errhint("Raise \"max_files_per_process\", or lower \"pgtq.max_remote_jobs\".")));
		files_told = true;
		return true;
	}
	files_told = false;
	places[n].link = link;
	places[n].group = job->group->key;
	places[n].since = now;
	take_place(n, job, now);
	retry_by(now);				/* it may have failed already */
	return true;
}

/* It must not connect as it would. */
static void
fail_job(Job *job, const RemoteOptions *options, TimestampTz now)
{
	RemoteEnd	end = {.id = job->id, .sqlstate = unpack_sql_state(options->sqlerrcode), .error = options->error};

	if (remote_note_end(slot, &end))
		jobplan_forget(job);
	else
		jobplan_delay(job, now + ERROR_RETRY);
}

/* One that has run jobs of a group, over just such a connection; or -1. */
static int
waiting_place(const GroupKey *key, const RemoteOptions *options)
{
	for (int n = 0; n < MAX_REMOTE_JOBS; n++)
		if (places[n].link != NULL && places[n].job == NULL && link_is_usable(places[n].link) &&
			memcmp(&places[n].group, key, sizeof(GroupKey)) == 0 &&
			remote_options_equal(places[n].link->options, options))
			return n;
	return -1;
}

/* One without a connection, or else with one that waits; there is room, so there is one. */
static int
free_place(void)
{
	int			most = Min(pgtq_max_remote_jobs, MAX_REMOTE_JOBS);
	int			waiting = -1;
	int			empty = -1;
	int			used = 0;

	for (int n = 0; n < MAX_REMOTE_JOBS; n++)
	{
		if (places[n].link == NULL)
			empty = n;
		else if (places[n].job == NULL)
			waiting = n;
		used += places[n].link != NULL;
	}
	return used < most || waiting < 0 ? empty : waiting;
}

static bool
has_room(const JobRole *role)
{
	int			most = Min(pgtq_max_remote_jobs, MAX_REMOTE_JOBS);
	int			busy = 0;

	for (int n = 0; n < MAX_REMOTE_JOBS; n++)
		busy += places[n].job != NULL;
	return busy < most && (role->held == 0 || busy + 1 < most);
}

static void
take_place(int n, Job *job, TimestampTz now)
{
	places[n].job = job;
	jobplan_hold(job, now);
	publish(n, false);
}

/* Shows what has a connection; see pgtq.running. */
static void
publish(int n, bool running)
{
	RemoteRun  *run = &slot->remote[n];
	const Job  *job = places[n].job;

	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	memset(run, 0, sizeof(RemoteRun));
	if (job != NULL)
	{
		run->job = job->id;
		run->role = job->group->key.role;
		run->running = running;
		run->since = clock_steady();
	}
	LWLockRelease(shared->sessions_lock);
}

static void
retry_by(TimestampTz at)
{
	retry_at = Min(retry_at, at);
}

static void
retry_by_steady(int64 at)
{
	if (at != PG_INT64_MAX)
		retry_by(GetCurrentTimestamp() + Max(at - clock_steady(), 0));
}

/* When we want to be called again, though no socket has told. */
TimestampTz
dispatch_remote_retry(void)
{
	return retry_at;
}

bool
dispatch_remote_is_idle(void)
{
	for (int n = 0; n < MAX_REMOTE_JOBS; n++)
		if (places[n].job != NULL)
			return false;
	return true;
}

/* At the worker's end: asks the other servers to stop what runs there.  False: that is done. */
bool
dispatch_remote_stop(void)
{
	bool		stops = false;

	for (int n = 0; n < MAX_REMOTE_JOBS; n++)
	{
		Link	   *link = places[n].link;

		if (link == NULL || link->state != LINK_RUNNING)
			continue;
		if (!link->stop)
			link_cancel(link);
		link_work(link);
		stops |= link->canceller != NULL;
	}
	return stops;
}

/* Everything that has a socket to wait for. */
int
dispatch_remote_links(Link **links, int room)
{
	int			count = 0;

	for (int n = 0; n < MAX_REMOTE_JOBS; n++)
		for (Link *link = places[n].link; link != NULL; link = link->canceller)
			if (link->state != LINK_CLOSED && count < room)
				links[count++] = link;
	return count;
}

/* For pg_stat_activity. */
void
dispatch_remote_describe(char *text, size_t size)
{
	int			count = 0;
	size_t		length;

	for (int n = 0; n < MAX_REMOTE_JOBS; n++)
		count += places[n].job != NULL;
	length = snprintf(text, size, "%d remote job%s:", count, count == 1 ? "" : "s");
	for (int n = 0; n < MAX_REMOTE_JOBS && length < size; n++)
		if (places[n].job != NULL)
			length += snprintf(text + length, size - length, " " INT64_FORMAT, places[n].job->id);
}
