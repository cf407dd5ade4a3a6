/*
 * src/common/clock.h
 *		What time it is.
 */
#ifndef PGTQ_CLOCK_H
#define PGTQ_CLOCK_H

#include "datatype/timestamp.h"

extern char *pgtq_clock_offset;

extern TimestampTz clock_now(void);

#endif							/* PGTQ_CLOCK_H */
