/*
 * src/executor/action.h
 *		Running one action, as the role of the session.
 */
#ifndef PGTQ_ACTION_H
#define PGTQ_ACTION_H

#include "executor/outcome.h"

/* why an action that did not end well is to be run again, without being counted */
typedef enum ActionAgain
{
	AGAIN_NO,
	AGAIN_CONFLICT,				/* a deadlock or the like, in a group */
	AGAIN_OVERRUN,				/* it keeps others of its group from being committed */
	AGAIN_MISTAKEN				/* somebody wanted another one to be stopped */
} ActionAgain;

extern int	pgtq_action_timeout;

extern int64 action_timer;

extern void action_init(Session *session);
extern int	action_timeout(const TimerRow *row);
extern void action_prepare(const TimerRow *row, TimestampTz until);
extern void action_commit(int timeout);
extern void action_not_committed(void);
extern ActionAgain action_run(TimerRow *row, bool in_group, TimestampTz until, ActionResult *result);

#endif							/* PGTQ_ACTION_H */
