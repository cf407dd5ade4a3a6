/*
 * src/remote/rows.h
 *		The rows that another server returns.
 */
#ifndef PGTQ_REMOTE_ROWS_H
#define PGTQ_REMOTE_ROWS_H

#include "libpq-fe.h"

#include "jobs/capture.h"

extern bool rows_capture(Capture *capture, const PGresult *result, MemoryContext context);
extern bool text_is_valid(const char *text);

#endif							/* PGTQ_REMOTE_ROWS_H */
