/*
 * src/jobs/plan.h
 *		The jobs that are not done, in the memory of the job worker.
 */
#ifndef PGTQ_JOBS_PLAN_H
#define PGTQ_JOBS_PLAN_H

#include "datatype/timestamp.h"
#include "lib/ilist.h"
#include "lib/pairingheap.h"

typedef enum JobPlace
{
	JOB_WAITS,					/* for its time */
	JOB_DUE,					/* for its group, or a session */
	JOB_HELD					/* it has a session */
} JobPlace;

typedef struct JobRole
{
	Oid			role;			/* hash key */
	int			held;			/* jobs with sessions */
	TimestampTz last_held;
	TimestampTz retry_at;		/* its sessions do not start */
	int			failures;
} JobRole;

typedef struct GroupKey
{
	Oid			role;
	char		name[NAMEDATALEN];
} GroupKey;

typedef struct JobGroup
{
	GroupKey	key;			/* hash key */
	JobRole    *role;
	int			jobs;			/* in memory */
	int			held;
	TimestampTz last_end;
	pairingheap due;			/* first what has the highest priority */
	dlist_node	node;			/* of groups with some that are due */
} JobGroup;

/* a job, as far as the worker needs it */
typedef struct Job
{
	int64		id;				/* hash key */
	JobPlace	place;
	bool		again;			/* held, but planned anew already */
	JobGroup   *group;
	TimestampTz due;
	int			priority;
	int			limit;			/* 0: none */
	int64		pause;			/* microseconds */
	int64		life;			/* microseconds; -1: none */
	int			count;			/* 0: any */
	pairingheap_node node;
} Job;

/* what is read of a job's row */
typedef struct JobSeen
{
	int64		id;
	GroupKey	group;
	TimestampTz due;
	int			priority;
	int			limit;
	int64		pause;
	int64		life;
	int			count;
	TimestampTz last_end;
} JobSeen;

extern void jobplan_init(void);
extern void jobplan_add(const JobSeen *seen);
extern void jobplan_ripen(TimestampTz now);
extern Job *jobplan_pick(TimestampTz now);
extern void jobplan_hold(Job *job, TimestampTz now);
extern void jobplan_release(Job *job, TimestampTz ended);
extern void jobplan_delay(Job *job, TimestampTz until);
extern void jobplan_forget(Job *job);
extern TimestampTz jobplan_wake(void);
extern bool jobplan_is_empty(void);

#endif							/* PGTQ_JOBS_PLAN_H */
