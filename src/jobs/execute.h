/*
 * src/jobs/execute.h
 *		Running SQL at the top level, as a client's would run.
 */
#ifndef PGTQ_JOBS_EXECUTE_H
#define PGTQ_JOBS_EXECUTE_H

#include "tcop/dest.h"

/* called after each statement that has ended well */
typedef void (*StatementDone) (void);

extern void execute_sql(const char *sql, DestReceiver *receiver, StatementDone done);

#endif							/* PGTQ_JOBS_EXECUTE_H */
