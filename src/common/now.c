/*
 * src/common/now.c
 *		What time it is, or what a test says that it is; see _now().
 */
#include "postgres.h"

#include "fmgr.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "common/now.h"

/* setting pgtq.clock_offset; an interval, or empty */
char	   *pgtq_clock_offset = NULL;

/* The time of the clock, moved by the setting. */
TimestampTz
clock_now(void)
{
	TimestampTz now = GetCurrentTimestamp();
	Datum		offset;

	if (pgtq_clock_offset == NULL || pgtq_clock_offset[0] == '\0')
		return now;
	offset = DirectFunctionCall3(interval_in, CStringGetDatum(pgtq_clock_offset),
								 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	return DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval,
												   TimestampTzGetDatum(now), offset));
}

/*
 * Microseconds of a clock that nobody sets, the same for all processes: for
 * intervals, so that whoever waits for ten seconds does not wait for an hour and
 * ten seconds.
 */
int64
clock_steady(void)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	return (int64) INSTR_TIME_GET_MICROSEC(now);
}
