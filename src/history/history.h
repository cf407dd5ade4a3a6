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

#define Natts_history 16

/* rows that are to be inserted together; begin with zeros */
typedef struct HistoryRows
{
	int			count;
	int			room;
	Datum	   *values;
	bool	   *nulls;
} HistoryRows;

extern int	pgtq_history;

extern void history_add(const Datum *timer, const bool *nulls, TimerStatus status,
						TimestampTz started, const char *sqlstate, const char *error);
extern void history_collect(HistoryRows *rows, const Datum *timer, const bool *nulls, TimerStatus status,
							TimestampTz started, const char *sqlstate, const char *error);
extern void history_insert(HistoryRows *rows);

#endif							/* PGTQ_HISTORY_H */
