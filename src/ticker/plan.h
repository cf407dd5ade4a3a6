/*
 * src/ticker/plan.h
 *		Which queue is to be ticked when, as the ticker sees it.
 */
#ifndef PGTQ_PLAN_H
#define PGTQ_PLAN_H

#include "datatype/timestamp.h"

#include "common/shared.h"

/* a queue, in the ticker's memory */
typedef struct QueuePlan
{
	int32		queue_id;		/* hash key */
	bool		listed;			/* is in pgtq.queue */
	bool		active;			/* neither paused nor ticked from elsewhere */
	uint32		max_count;
	int64		max_lag;		/* microseconds, as all of these */
	int64		idle_period;
	TimestampTz last;			/* when we last ticked it, or looked */
	bool		news;			/* may have events that its cell does not tell of any more */
	bool		at_once;
	int			failures;		/* in a row */
	TimestampTz not_before;		/* after a failure */
} QueuePlan;

extern void plan_init(DatabaseSlot *slot);
extern void plan_read(void);
extern QueuePlan *plan_find(int32 queue_id);
extern List *plan_due(TimestampTz now, bool *swept);
extern TimestampTz plan_next(void);
extern void plan_before_tick(QueuePlan *queue);
extern void plan_after_tick(QueuePlan *queue, bool done);
extern void plan_all_news(void);
extern void plan_clock_set(void);

#endif							/* PGTQ_PLAN_H */
