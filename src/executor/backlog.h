/*
 * src/executor/backlog.h
 *		What the executor has read and is not done yet; in its own memory.
 */
#ifndef PGTQ_BACKLOG_H
#define PGTQ_BACKLOG_H

#include "lib/ilist.h"

#include "executor/pool.h"
#include "tick/ticks.h"

/* a tick that was read, of which something is not done, or one before it is not */
typedef struct ReadTick
{
	int64		tick;
	int			remaining;		/* timers that came with it and are neither done nor carried */
	struct ReadTick *next;
} ReadTick;

/* a queue that the executor consumes */
typedef struct ExecutorQueue
{
	int32		sub_id;			/* hash key */
	int32		queue_id;
	bool		listed;
	int64		read_tick;		/* all up to it was read */
	StoredSnapshot *snapshot;	/* its snapshot; NULL: not looked up yet */
	int64		done_tick;		/* all up to it is done */
	int64		saved_tick;		/* and the position log says so */
	ReadTick   *first;
	ReadTick   *last;
} ExecutorQueue;

/* what waits for one role */
typedef struct RoleQueue
{
	Oid			role;			/* hash key */
	dlist_head	waiting;		/* timers, in order */
	bool		is_active;		/* in the list of those with waiting timers */
	dlist_node	node;
	int			cautious;		/* so many more run alone, of what was due before we started */
	int			failures;		/* sessions in a row that did not start */
	char		failure[128];
	int64		retry_at;		/* by clock_steady(), as all times here */
	int64		progress;		/* when something was done */
} RoleQueue;

/* a timer that is to be run */
typedef struct Timer
{
	dlist_node	node;			/* in the role's list, while it waits */
	WorkItem	work;
	RoleQueue  *role;
	ExecutorQueue *queue;
	ReadTick   *tick;			/* NULL: carried */
	int64		read_at;
	int			deaths;			/* sessions that died of it, perhaps */
} Timer;

extern dlist_head backlog_roles;	/* those with waiting timers; who is first was served longest ago */
extern int	backlog_count;

extern void backlog_init(void);
extern bool backlog_read(void);
extern bool backlog_is_full(void);
extern void backlog_wait(Timer *timer, bool in_front);
extern Timer *backlog_next(RoleQueue *role);
extern void backlog_had_turn(Oid role);
extern void backlog_done(Timer *timer);
extern bool backlog_to_save(void);
extern void backlog_save(void *arg);
extern void backlog_saved(void);
extern void backlog_carry(Timer *timer);

#endif							/* PGTQ_BACKLOG_H */
