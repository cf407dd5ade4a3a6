/*
 * src/common/call.h
 *		Calling an SQL function of ours from C.
 */
#ifndef PGTQ_COMMON_CALL_H
#define PGTQ_COMMON_CALL_H

extern Datum call_as_owner(const char *function, int nargs, Oid *types, Datum *values, const char *nulls,
						   bool byval, int typlen, bool *isnull);

#endif							/* PGTQ_COMMON_CALL_H */
