/*
 * src/remote/statements.c
 *		The statements of a text, to be sent one after the other.
 *
 * Runs in the worker of remote jobs, in a transaction.  Each statement becomes a
 * message of its own, as psql sends them: so VACUUM, and a CALL of a procedure
 * that commits, find what they need.  Our parser finds where they end.  What it
 * does not understand, because the other server is newer perhaps, is sent as one
 * message: that is one transaction there, and a syntax error is found before
 * anything is done.
 */
#include "postgres.h"

#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "utils/memutils.h"

#include "remote/statements.h"

/* A list of strings, in the current memory context. */
List *
split_statements(const char *sql)
{
	MemoryContext context = CurrentMemoryContext;
	List	   *volatile statements = NIL;

	PG_TRY();
	{
		ListCell   *lc;

		foreach(lc, raw_parser(sql, RAW_PARSE_DEFAULT))
		{
			RawStmt    *statement = lfirst_node(RawStmt, lc);
			const char *text = sql + Max(statement->stmt_location, 0);

			statements = lappend(statements, statement->stmt_len > 0 ? pnstrdup(text, statement->stmt_len) : pstrdup(text));
		}
	}
	PG_CATCH();
	{
		/* it has only parsed, so there is nothing to undo */
		MemoryContextSwitchTo(context);
		FlushErrorState();
		statements = list_make1(pstrdup(sql));
	}
	PG_END_TRY();
	return statements;
}
