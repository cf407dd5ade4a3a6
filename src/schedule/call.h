/*
 * src/schedule/call.h
 *		Calls of the SQL functions that schedule what is not plain.
 */
#ifndef PGTQ_CALL_H
#define PGTQ_CALL_H

#include "fmgr.h"

extern void call_refuse_replica(void);
extern Datum call_schedule(FunctionCallInfo fcinfo, Datum at, bool at_isnull);
extern Datum call_insert_event(FunctionCallInfo fcinfo, Datum at, bool at_isnull);
extern Datum call_schedule_many(FunctionCallInfo fcinfo);

#endif							/* PGTQ_CALL_H */
