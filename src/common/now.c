/*
 * src/common/now.c
 *		What time it is, or what a test says that it is; see _now().
 */
#include "postgres.h"

#include "fmgr.h"
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
