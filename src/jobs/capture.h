/*
 * src/jobs/capture.h
 *		The rows that a job returns, as text or json.
 */
#ifndef PGTQ_JOBS_CAPTURE_H
#define PGTQ_JOBS_CAPTURE_H

#include "tcop/dest.h"

#include "jobs/record.h"

extern DestReceiver *capture_begin(const JobRow *row);
extern void capture_keep(void);
extern const char *capture_end(bool *cut);

#endif							/* PGTQ_JOBS_CAPTURE_H */
