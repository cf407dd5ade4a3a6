/*
 * src/jobs/receiver.h
 *		Where the rows of statements that run in a session of a job go.
 */
#ifndef PGTQ_JOBS_RECEIVER_H
#define PGTQ_JOBS_RECEIVER_H

#include "tcop/dest.h"

#include "jobs/capture.h"

extern DestReceiver *receiver_new(Capture *capture);

#endif							/* PGTQ_JOBS_RECEIVER_H */
