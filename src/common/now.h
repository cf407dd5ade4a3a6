/*
 * src/common/now.h
 *		What time it is.
 */
#ifndef PGTQ_NOW_H
#define PGTQ_NOW_H

#include "datatype/timestamp.h"

extern char *pgtq_clock_offset;

extern TimestampTz clock_now(void);
extern int64 clock_steady(void);

#endif							/* PGTQ_NOW_H */
