/*
 * src/jobs/execute.c
 *		Running SQL at the top level, as a client's would run.
 *
 * Runs in the session of a job, outside of any transaction.  Each statement is a
 * transaction, as if psql had sent it, unless BEGIN says otherwise: so VACUUM,
 * CREATE DATABASE and a CALL of a procedure that commits find what they need.
 * (PostgreSQL takes several statements in one message for one transaction.)
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "parser/analyze.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "jobs/execute.h"
#include "jobs/receiver.h"

static void run_statement(RawStmt *statement, const char *sql, MemoryContext context, DestReceiver *receiver);
static List *plan_statement(RawStmt *statement, const char *sql);
static void refuse_copy(Node *statement);

/*
 * Runs a text, and keeps the rows that it returns, if capture is not NULL.  An
 * error leaves the transaction for the caller to abort.  What the text leaves
 * open is an error, too.
 */
void
execute_sql(const char *sql, Capture *capture)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "pgtq statement", ALLOCSET_DEFAULT_SIZES);
	DestReceiver *receiver = capture ? receiver_new(capture) : None_Receiver;
	List	   *statements;
	ListCell   *lc;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	MemoryContextSwitchTo(caller);
	statements = pg_parse_query(sql);
	CommitTransactionCommand();

	foreach(lc, statements)
	{
		run_statement(lfirst_node(RawStmt, lc), sql, context, receiver);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
		capture_keep(capture);
	}
	if (IsTransactionBlock())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("the job has left a transaction open; it was rolled back"),
				 errhint("There is a BEGIN without a COMMIT.")));
	MemoryContextDelete(context);
}

/*
 * As exec_simple_query() does it.  What it needs is in a memory context that
 * outlives the transactions which a CALL may end.
 */
static void
run_statement(RawStmt *statement, const char *sql, MemoryContext context, DestReceiver *receiver)
{
	CommandTag	tag = CreateCommandTag(statement->stmt);
	QueryCompletion completion;
	List	   *plans;
	Portal		portal;

	refuse_copy(statement->stmt);
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	CHECK_FOR_INTERRUPTS();
	MemoryContextSwitchTo(context);
	plans = plan_statement(statement, sql);

	portal = CreatePortal("", true, true);
	portal->visible = false;
	PortalDefineQuery(portal, NULL, sql, tag, plans, NULL);
	PortalStart(portal, NULL, 0, InvalidSnapshot);
	(void) PortalRunAll(portal, receiver, &completion);
	PortalDrop(portal, false);

	if (!IsA(statement->stmt, TransactionStmt))
		CommandCounterIncrement();
	CommitTransactionCommand();
}

static List *
plan_statement(RawStmt *statement, const char *sql)
{
	bool		needs_snapshot = analyze_requires_snapshot(statement);
	List	   *queries;
	List	   *plans;

	if (needs_snapshot)
		PushActiveSnapshot(GetTransactionSnapshot());
	queries = pg_analyze_and_rewrite_fixedparams(statement, sql, NULL, 0, NULL);
	plans = pg_plan_queries(queries, sql, CURSOR_OPT_PARALLEL_OK, NULL);
	if (needs_snapshot)
		PopActiveSnapshot();
	return plans;
}

/* It would read and write the files that the server was started with. */
static void
refuse_copy(Node *statement)
{
	if (IsA(statement, CopyStmt) && ((CopyStmt *) statement)->filename == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a job cannot COPY from or to a client")));
}
