/*
 * src/ticker/clock.h
 *		Sleeping until an exact moment.
 */
#ifndef PGTQ_CLOCK_H
#define PGTQ_CLOCK_H

#include "datatype/timestamp.h"

extern void clock_init(void);
extern bool clock_sleep(TimestampTz until, uint32 wait_event);

#endif							/* PGTQ_CLOCK_H */
