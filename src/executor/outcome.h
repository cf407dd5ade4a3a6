/*
 * src/executor/outcome.h
 *		The row of a timer that is run, and what becomes of it.
 */
#ifndef PGTQ_OUTCOME_H
#define PGTQ_OUTCOME_H

#include "datatype/timestamp.h"

#include "common/event.h"
#include "executor/pool.h"
#include "history/history.h"

/* a timer with its row, as one of the delay store: dl_due is its ev_time */
typedef struct TimerRow
{
	Datum		values[Natts_delay];
	bool		nulls[Natts_delay];
} TimerRow;

/* how an action ended */
typedef struct ActionResult
{
	TimestampTz started;		/* 0: it was not run */
	char	   *error;			/* NULL: well */
	char		sqlstate[6];
	bool		expired;		/* it was not run because it was too late */
	bool		is_final;		/* not to be tried again */
} ActionResult;

extern bool outcome_read(const WorkItem *work, TimerRow *row);
extern void outcome_record(TimerRow *row, const ActionResult *result, HistoryRows *history);
extern TimestampTz outcome_retry_time(const Interval *backoff, int32 retries);
extern void outcome_mark(int count, const WorkItem *items);

#endif							/* PGTQ_OUTCOME_H */
