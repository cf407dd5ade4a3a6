/*
 * src/remote/statements.h
 *		The statements of a text, to be sent one after the other.
 */
#ifndef PGTQ_REMOTE_STATEMENTS_H
#define PGTQ_REMOTE_STATEMENTS_H

#include "nodes/pg_list.h"

extern List *split_statements(const char *sql);

#endif							/* PGTQ_REMOTE_STATEMENTS_H */
