/*
 * src/common/now.h
 *		What time it is.
 */
#ifndef PGTQ_NOW_H
#define PGTQ_NOW_H

#include "datatype/timestamp.h"

extern char *pgtq_clock_offset;

extern TimestampTz clock_now(void);

#endif							/* PGTQ_NOW_H */
