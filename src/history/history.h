/*
 * src/history/history.h
 *		What became of timers and jobs, see structure/history.sql.
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

/* columns, see structure/history.sql */
enum
{
	Anum_hi_timer = 1,
	Anum_hi_status,
	Anum_hi_attempt,
	Anum_hi_queue,
	Anum_hi_role,
	Anum_hi_pid,
	Anum_hi_due,
	Anum_hi_created,
	Anum_hi_started,
	Anum_hi_finished,
	Anum_hi_sqlstate,
	Anum_hi_error,
	Anum_hi_key,
	Anum_hi_shard,
	Anum_hi_timeout,
	Anum_hi_attempts,
	Anum_hi_backoff,
	Anum_hi_action,
	Anum_hi_schedule,
	Anum_hi_group,
	Anum_hi_parent,
	Anum_hi_info,
	Anum_hi_output,
	Anum_hi_output_cut,
	Anum_hi_remote,
	Natts_history = Anum_hi_remote
};

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
extern void history_add_job(const Datum *values, const bool *nulls);
extern void history_collect(HistoryRows *rows, const Datum *timer, const bool *nulls, TimerStatus status,
							TimestampTz started, const char *sqlstate, const char *error);
extern void history_insert(HistoryRows *rows);

#endif							/* PGTQ_HISTORY_H */
