/*
 * src/history/history.h
 *		What became of timers, see structure/history.sql.
 */
#ifndef PGTQ_HISTORY_H
#define PGTQ_HISTORY_H

#include "datatype/timestamp.h"

/* hi_status */
typedef enum TimerStatus
{
	TIMER_FIRED = 1,
	TIMER_FAILED = 2,
	TIMER_CANCELLED = 3,
	TIMER_EXPIRED = 4,
	TIMER_RETRIED = 5
} TimerStatus;

/* setting pgtq.history */
typedef enum HistoryLevel
{
	HISTORY_ALL,
	HISTORY_FAILURES,
	HISTORY_OFF
} HistoryLevel;

extern int	pgtq_history;

extern void history_add(const Datum *timer, const bool *nulls, TimerStatus status,
						TimestampTz started, const char *sqlstate, const char *error);

#endif							/* PGTQ_HISTORY_H */
