/*
 * src/jobs/reader.h
 *		Reading the jobs that are not done, from the table into memory.
 */
#ifndef PGTQ_JOBS_READER_H
#define PGTQ_JOBS_READER_H

#include "common/shared.h"

extern bool jobs_read(DatabaseSlot *slot, bool remote);
extern void jobs_look(DatabaseSlot *slot);

#endif							/* PGTQ_JOBS_READER_H */
