/*
 * test/integration/clock.c
 *		A clock that a test can set: LD_PRELOADed into a server.
 *
 * The clock of the wall is ahead of the machine's by what stands in the file
 * PGTQ_CLOCK_FILE, in nanoseconds (8 bytes).  A timerfd does what the kernel's does
 * when the clock is set: one that is armed for a time follows the clock, and
 * one that asked for it is cancelled.  A thread looks at the file for that.
 *
 * PGTQ_CLOCK_KIND is what the kernel can do: "tells" all of it; "silent" refuses
 * TFD_TIMER_CANCEL_ON_SET, as some do that only look like Linux; "none" has no
 * timers of that sort.
 *
 * PostgreSQL's own timeouts, and sleeps, are intervals: nothing happens to them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static volatile const int64_t *shift;	/* mapped */
static int	timer = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* lock */
static int	flags;
static struct itimerspec armed;			/* as the program has it */
static int64_t armed_shift;				/* when it was armed */
static int	cancelled;

/* The system itself: libraries may call us before there is anything else. */
static int
real_clock_gettime(clockid_t clock, struct timespec *t)
{
	return syscall(SYS_clock_gettime, clock, t);
}

static int
real_timerfd_settime(int fd, int set_flags, const struct itimerspec *new, struct itimerspec *old)
{
	return syscall(SYS_timerfd_settime, fd, set_flags, new, old);
}

static void __attribute__((constructor))
begin(void)
{
	int			fd = open(getenv("PGTQ_CLOCK_FILE"), O_RDONLY);
	void	   *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);

	if (mapped == MAP_FAILED)
		abort();
	close(fd);
	shift = mapped;
}

static int
is_kind(const char *kind)
{
	return strcmp(getenv("PGTQ_CLOCK_KIND"), kind) == 0;
}

static struct timespec
add(struct timespec t, int64_t nanoseconds)
{
	int64_t		sum = t.tv_sec * SECOND + t.tv_nsec + nanoseconds;

	if (sum < 1)
		sum = 1;
	t.tv_sec = sum / SECOND;
	t.tv_nsec = sum % SECOND;
	return t;
}

int
clock_gettime(clockid_t clock, struct timespec *t)
{
	int			result = real_clock_gettime(clock, t);

	if (result == 0 && shift != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		*t = add(*t, *shift);
	return result;
}

int
gettimeofday(struct timeval *restrict t, void *restrict zone __attribute__((unused)))
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t
time(time_t *t)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}

/* Under the lock: has the clock been set since the timer was armed?  Then it is armed anew. */
static void
follow(void)
{
	struct itimerspec real = armed;
	int64_t		now = *shift;

	if (now == armed_shift || !(flags & TFD_TIMER_ABSTIME) || armed.it_value.tv_sec == 0)
		return;
	cancelled = flags & TFD_TIMER_CANCEL_ON_SET;
	real.it_value = cancelled ? (struct timespec) {0, 1} : add(armed.it_value, -now);
	armed_shift = now;
	real_timerfd_settime(timer, TFD_TIMER_ABSTIME, &real, NULL);
}

static void *
watch(void *unused __attribute__((unused)))
{
	for (;;)
	{
		pthread_mutex_lock(&lock);
		follow();
		pthread_mutex_unlock(&lock);
		usleep(2000);
	}
	return NULL;
}

int
timerfd_create(int clock, int create_flags)
{
	pthread_t	thread;
	sigset_t	all;
	sigset_t	before;

	if (is_kind("none"))
	{
		errno = ENOSYS;
		return -1;
	}
	timer = syscall(SYS_timerfd_create, clock, create_flags);
	/* signals are for the program's thread */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_create(&thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return timer;
}

int
timerfd_settime(int fd, int set_flags, const struct itimerspec *new, struct itimerspec *old)
{
	struct itimerspec real = *new;
	int			was_cancelled;

	if (fd != timer)
		return real_timerfd_settime(fd, set_flags, new, old);
	if ((set_flags & TFD_TIMER_CANCEL_ON_SET) && is_kind("silent"))
	{
		errno = EINVAL;
		return -1;
	}
	pthread_mutex_lock(&lock);
	follow();
	was_cancelled = cancelled;
	cancelled = 0;
	flags = set_flags;
	armed = *new;
	armed_shift = *shift;
	if (set_flags & TFD_TIMER_ABSTIME)
		real.it_value = add(new->it_value, -armed_shift);
	real_timerfd_settime(fd, set_flags & ~TFD_TIMER_CANCEL_ON_SET, &real, old);
	pthread_mutex_unlock(&lock);
	errno = ECANCELED;
	return was_cancelled ? -1 : 0;
}

ssize_t
read(int fd, void *buffer, size_t size)
{
	ssize_t		result = syscall(SYS_read, fd, buffer, size);

	if (fd != timer || timer < 0)
		return result;
	pthread_mutex_lock(&lock);
	if (cancelled)
	{
		cancelled = 0;
		errno = ECANCELED;
		result = -1;
	}
	pthread_mutex_unlock(&lock);
	return result;
}
