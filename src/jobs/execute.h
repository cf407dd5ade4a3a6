/*
 * src/jobs/execute.h
 *		Running SQL at the top level, as a client's would run.
 */
#ifndef PGTQ_JOBS_EXECUTE_H
#define PGTQ_JOBS_EXECUTE_H

#include "jobs/capture.h"

extern void execute_sql(const char *sql, Capture *capture);

#endif							/* PGTQ_JOBS_EXECUTE_H */
