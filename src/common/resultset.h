/*
 * src/common/resultset.h
 *		Returning a set of rows.
 */
#ifndef PGTQ_RESULTSET_H
#define PGTQ_RESULTSET_H

#include "fmgr.h"
#include "utils/tuplestore.h"

extern Tuplestorestate *resultset_begin(FunctionCallInfo fcinfo, TupleDesc *desc);

#endif							/* PGTQ_RESULTSET_H */
