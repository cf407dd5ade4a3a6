/*
 * src/ticker/clock.c
 *		Sleeping until an exact moment.
 *
 * Runs in the ticker.  WaitLatch() counts milliseconds; a timerfd fires at the
 * microsecond, follows the clock of the wall when that is set, and tells of
 * it.  Where there is none, we sleep milliseconds, then the rest, and look at
 * the clock at least once a minute.
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

#include "compat.h"
#include "ticker/clock.h"

#if defined(TFD_TIMER_ABSTIME) && defined(TFD_TIMER_CANCEL_ON_SET)

/* a sleep that nothing ends by itself: the timer must run to see the clock set */
#define FAR_AHEAD (INT64CONST(365) * USECS_PER_DAY)

static int	timer = -1;
static WaitEventSet *events = NULL;

static bool arm_timer(TimestampTz until);
static bool read_timer(void);

void
clock_init(void)
{
	ReserveExternalFD();
	timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	if (timer < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create a timer: %m")));
	events = CreateLongWaitEventSet(3);
	AddWaitEventToSet(events, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(events, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	AddWaitEventToSet(events, WL_SOCKET_READABLE, timer, NULL, NULL);
}

/*
 * Sleeps until that moment, or until the latch is set, which it resets, or the
 * clock is set; then it returns true.
 */
bool
clock_sleep(TimestampTz until, uint32 wait_event)
{
	WaitEvent	event;
	bool		clock_set = arm_timer(until);

	if (!clock_set &&
		WaitEventSetWait(events, -1, &event, 1, wait_event) == 1 &&
		(event.events & WL_SOCKET_READABLE))
		clock_set = read_timer();
	ResetLatch(MyLatch);
	return clock_set;
}

/* True if the clock was set since the timer was armed before. */
static bool
arm_timer(TimestampTz until)
{
	struct itimerspec spec = {0};
	int64		unix_time;

	until = Min(until, GetCurrentTimestamp() + FAR_AHEAD);
	unix_time = until + (int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
	unix_time = Max(unix_time, 1);
	spec.it_value.tv_sec = unix_time / USECS_PER_SEC;
	spec.it_value.tv_nsec = (unix_time % USECS_PER_SEC) * 1000;
	if (timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &spec, NULL) == 0)
		return false;
	if (errno != ECANCELED)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not set a timer: %m")));
	return true;
}

static bool
read_timer(void)
{
	uint64		count;

	return read(timer, &count, sizeof(count)) < 0 && errno == ECANCELED;
}

#else							/* no timerfd */

#define LONGEST_SLEEP (60 * USECS_PER_SEC)

/* set by more than this while we slept: not by us oversleeping */
#define CLOCK_STEP (2 * USECS_PER_SEC)

void
clock_init(void)
{
}

bool
clock_sleep(TimestampTz until, uint32 wait_event)
{
	TimestampTz start = GetCurrentTimestamp();
	int64		span = Min(until - start, LONGEST_SLEEP);
	int64		slept;
	int			ended = 0;

	if (until != DT_NOEND && until <= start)
		span = 0;
	else if (until == DT_NOEND)
		span = LONGEST_SLEEP;
	if (span >= 1000)
		ended = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						  (long) (span / 1000), wait_event);
	if ((ended & WL_LATCH_SET) == 0 && span > 0)
	{
		int64		rest = start + span - GetCurrentTimestamp();

		if (rest > 0 && rest < 2000)
			pg_usleep((long) rest);
	}
	ResetLatch(MyLatch);
	slept = GetCurrentTimestamp() - start;
	return slept < 0 || slept > span + CLOCK_STEP;
}

#endif
