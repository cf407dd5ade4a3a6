/*
 * src/executor/main.h
 *		Entry points of the executor and of its sessions; what the ticker needs of them.
 */
#ifndef PGTQ_EXECUTOR_MAIN_H
#define PGTQ_EXECUTOR_MAIN_H

#include "common/shared.h"

#define EXECUTOR_TYPE "pgtq executor"
#define SESSION_TYPE "pgtq session"

extern int	pgtq_max_sessions;
extern int	pgtq_max_sessions_per_role;
extern int	pgtq_session_idle_timeout;
extern int	pgtq_commit_interval;
extern int	pgtq_fetch_ahead;

extern PGDLLEXPORT void pgtq_executor_main(Datum arg);
extern PGDLLEXPORT void pgtq_session_main(Datum arg);

extern void executor_look(void);
extern bool executor_is_wanted(void);
extern TimestampTz executor_ensure(DatabaseSlot *slot);

#endif							/* PGTQ_EXECUTOR_MAIN_H */
