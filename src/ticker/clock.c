/*
 * src/ticker/clock.c
 *		Sleeping until an exact moment.
 *
 * Runs in the ticker.  WaitLatch() counts milliseconds, of a clock that nobody
 * sets.  A timerfd fires at the microsecond, follows the clock of the wall when
 * that is set, and tells of it.  Where there is none, we sleep milliseconds, then
 * the rest; and where nobody tells, we look at the clock once a minute.
 *
 * Whether the clock was set is seen by comparing it with the one that nobody
 * sets, whatever woke us.
 */
#include "postgres.h"

#include <errno.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/timerfd.h>
#endif

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "compat.h"
#include "ticker/clock.h"

#if defined(TFD_TIMER_ABSTIME) && defined(TFD_TIMER_CANCEL_ON_SET)
#define HAVE_TIMERFD
#endif

/* a sleep that nothing ends by itself: the timer must run to see the clock set */
#define FAR_AHEAD (INT64CONST(365) * USECS_PER_DAY)

/* the same where nobody tells us */
#define LONGEST_SLEEP (60 * USECS_PER_SEC)

/* moved by this much it was set; less is its being kept in step */
#define CLOCK_STEP (USECS_PER_SEC / 2)

static int	timer = -1;			/* -1: there is none */
static bool is_told = false;	/* the timer tells when the clock is set */
static WaitEventSet *events = NULL;
static int64 offset;			/* of the clock to the steady one */

static int64 read_offset(void);
static bool was_set(void);
static bool arm_timer(TimestampTz until);
static bool read_timer(void);
static long whole_milliseconds(TimestampTz until);
static void sleep_rest(TimestampTz until);

void
clock_init(void)
{
#ifdef HAVE_TIMERFD
	timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	if (timer >= 0)
		ReserveExternalFD();
	is_told = timer >= 0;
#endif
	events = CreateLongWaitEventSet(3);
	AddWaitEventToSet(events, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(events, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	if (timer >= 0)
		AddWaitEventToSet(events, WL_SOCKET_READABLE, timer, NULL, NULL);
	offset = read_offset();
}

/*
 * Sleeps until that moment, or until the latch is set, which it resets, or the
 * clock is set; then it returns true.
 */
bool
clock_sleep(TimestampTz until, uint32 wait_event)
{
	WaitEvent	event;
	bool		told = false;

	if (timer >= 0)
		told = arm_timer(until);
	if (!told)
	{
		if (WaitEventSetWait(events, timer >= 0 ? -1 : whole_milliseconds(until), &event, 1, wait_event) == 0)
			sleep_rest(until);
		else if (event.events & WL_SOCKET_READABLE)
			told = read_timer();
	}
	ResetLatch(MyLatch);
	return was_set() || told;
}

/*
 * How far the clock is ahead of the steady one.  Both are read in one moment: if
 * somebody else had the CPU in between, once more.
 */
static int64
read_offset(void)
{
	for (;;)
	{
		int64		before = clock_steady();
		TimestampTz now = GetCurrentTimestamp();
		int64		after = clock_steady();

		if (after - before < CLOCK_STEP / 10)
			return now - after;
	}
}

/* Since we were here the last time, was it? */
static bool
was_set(void)
{
	int64		before = offset;

	offset = read_offset();
	return offset - before > CLOCK_STEP || before - offset > CLOCK_STEP;
}

/* True if the clock was set since the timer was armed before. */
static bool
arm_timer(TimestampTz until)
{
#ifdef HAVE_TIMERFD
	struct itimerspec spec = {0};
	int			flags = TFD_TIMER_ABSTIME | (is_told ? TFD_TIMER_CANCEL_ON_SET : 0);
	int64		unix_time;

	unix_time = Min(until, GetCurrentTimestamp() + (is_told ? FAR_AHEAD : LONGEST_SLEEP)) +
		(int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
	unix_time = Max(unix_time, 1);
	spec.it_value.tv_sec = unix_time / USECS_PER_SEC;
	spec.it_value.tv_nsec = (unix_time % USECS_PER_SEC) * 1000;
	if (timerfd_settime(timer, flags, &spec, NULL) == 0)
		return false;
	if (errno == EINVAL && is_told)
	{
		is_told = false;		/* a system that has timers, but not this */
		return arm_timer(until);
	}
	if (errno != ECANCELED)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not set a timer: %m")));
#endif
	return true;
}

static bool
read_timer(void)
{
	uint64		count;

	return read(timer, &count, sizeof(count)) < 0 && errno == ECANCELED;
}

/* How long to sleep without a timer; the rest is less than one. */
static long
whole_milliseconds(TimestampTz until)
{
	TimestampTz now = GetCurrentTimestamp();

	return (long) (Max(Min(until, now + LONGEST_SLEEP) - now, 0) / 1000);
}

static void
sleep_rest(TimestampTz until)
{
	int64		rest = until - GetCurrentTimestamp();

	if (rest > 0 && rest < 1000)
		pg_usleep((long) rest);
}
