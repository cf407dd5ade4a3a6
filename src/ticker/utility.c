/*
 * src/ticker/utility.c
 *		Commands that concern the workers.
 *
 * Runs in any session, around a command.
 *
 *   CREATE EXTENSION, CREATE and ALTER DATABASE   the launcher is told
 *   DROP EXTENSION, COMMIT PREPARED               the ticker is told
 *   DROP DATABASE, ALTER DATABASE RENAME and SET TABLESPACE, and
 *   CREATE DATABASE for its template              the workers make room
 *
 * These last ones fail if anybody is connected to the database.  So its
 * workers are asked to leave before, and may come back when the transaction
 * has ended.  But first we make sure that whoever asks may do it: otherwise
 * anybody could stop the ticks of any database.
 */
#include "postgres.h"

#include <signal.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "commands/dbcommands.h"
#include "commands/defrem.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "common/shared.h"
#include "common/wake.h"
#include "compat.h"
#include "executor/pool.h"
#include "ticker/utility.h"

/* a worker that does not leave by itself is terminated, then we give up */
#define PATIENCE (USECS_PER_SEC / 2)
#define LAST_PATIENCE (5 * USECS_PER_SEC)

/* what a command tells the workers */
typedef enum News
{
	TELL_NOTHING,
	TELL_CREATED,				/* the extension may be there now */
	TELL_DROPPED,				/* it may be gone */
	TELL_DATABASE,				/* databases have changed */
	TELL_PREPARED				/* a prepared transaction was committed */
} News;

static ProcessUtility_hook_type previous_hook = NULL;

static void utility(PlannedStmt *pstmt, const char *query, bool read_only_tree,
					ProcessUtilityContext context, ParamListInfo params,
					QueryEnvironment *environment, DestReceiver *dest, QueryCompletion *completion);
static Oid	database_to_empty(Node *statement, ProcessUtilityContext context);
static const char *option_value(List *options, const char *name);
static bool may_create_databases(void);
static bool may_copy(Oid database);
static void make_room(Oid database);
static void terminate(pid_t worker);
static News news_of(Node *statement);
static void tell(News news);

void
utility_hook_install(void)
{
	previous_hook = ProcessUtility_hook;
	ProcessUtility_hook = utility;
}

static void
utility(PlannedStmt *pstmt, const char *query, bool read_only_tree,
		ProcessUtilityContext context, ParamListInfo params,
		QueryEnvironment *environment, DestReceiver *dest, QueryCompletion *completion)
{
	/* found out before: the statement may be gone afterwards */
	News		news = news_of(pstmt->utilityStmt);

	if (news == TELL_DATABASE && !RecoveryInProgress())
	{
		Oid			database = database_to_empty(pstmt->utilityStmt, context);

		if (OidIsValid(database))
			make_room(database);
	}
	if (previous_hook)
		previous_hook(pstmt, query, read_only_tree, context, params, environment, dest, completion);
	else
		standard_ProcessUtility(pstmt, query, read_only_tree, context, params, environment, dest, completion);
	tell(news);
}

/*
 * The database that a command wants to find empty, if the user may give that
 * command.  Whatever else is wrong with it, it will say itself.
 */
static Oid
database_to_empty(Node *statement, ProcessUtilityContext context)
{
	const char *name;
	Oid			database;
	bool		top_level = (context == PROCESS_UTILITY_TOPLEVEL) && !IsTransactionBlock();

	switch (nodeTag(statement))
	{
		case T_CreatedbStmt:
			name = option_value(((CreatedbStmt *) statement)->options, "template");
			database = top_level ? get_database_oid(name ? name : "template1", true) : InvalidOid;
			return OidIsValid(database) && may_create_databases() && may_copy(database) ? database : InvalidOid;
		case T_DropdbStmt:
			database = top_level ? get_database_oid(((DropdbStmt *) statement)->dbname, true) : InvalidOid;
			break;
		case T_AlterDatabaseStmt:
			if (!top_level || option_value(((AlterDatabaseStmt *) statement)->options, "tablespace") == NULL)
				return InvalidOid;
			database = get_database_oid(((AlterDatabaseStmt *) statement)->dbname, true);
			break;
		case T_RenameStmt:
			if (((RenameStmt *) statement)->renameType != OBJECT_DATABASE || !may_create_databases())
				return InvalidOid;
			database = get_database_oid(((RenameStmt *) statement)->subname, true);
			break;
		default:
			return InvalidOid;
	}
	if (!OidIsValid(database) || database == MyDatabaseId || !owns_database(database))
		return InvalidOid;
	return database;
}

static const char *
option_value(List *options, const char *name)
{
	ListCell   *lc;

	foreach(lc, options)
	{
		DefElem    *option = lfirst(lc);

		if (strcmp(option->defname, name) == 0 && option->arg != NULL)
			return defGetString(option);
	}
	return NULL;
}

static bool
may_create_databases(void)
{
	HeapTuple	tuple;
	bool		may;

	if (superuser())
		return true;
	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(GetUserId()));
	may = HeapTupleIsValid(tuple) && ((Form_pg_authid) GETSTRUCT(tuple))->rolcreatedb;
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return may;
}

static bool
may_copy(Oid database)
{
	HeapTuple	tuple;
	bool		may;

	if (owns_database(database))
		return true;
	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(database));
	may = HeapTupleIsValid(tuple) && ((Form_pg_database) GETSTRUCT(tuple))->datistemplate;
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return may;
}

/*
 * Makes the workers of a database leave, and keeps them out until the
 * transaction ends.  If they do not leave the command fails as if they were
 * anybody else.
 */
static void
make_room(Oid database)
{
	DatabaseSlot *slot = shared_slot(database);
	int64		start = clock_steady();
	bool		terminated = false;

	if (slot == NULL)
		return;
	wake_hold(database);
	for (;;)
	{
		pid_t		ticker;
		pid_t		maintenance;
		pid_t		executor;
		pid_t		jobs;
		pid_t		remote;
		int64		waited = clock_steady() - start;

		LWLockAcquire(shared->lock, LW_EXCLUSIVE);
		if (pg_atomic_read_u32(&slot->database) == database)
			slot->held_by = MyProcPid;
		ticker = slot->ticker_pid;
		maintenance = slot->maintenance_pid;
		executor = slot->executor_pid;
		jobs = slot->jobs_pid;
		remote = slot->remote_pid;
		LWLockRelease(shared->lock);
		if (ticker == 0 && maintenance == 0 && executor == 0 && jobs == 0 && remote == 0 &&
			pool_is_empty(database, false) && pool_is_empty(database, true))
			break;
		shared_set_latch(&slot->ticker_proc);
		shared_set_latch(&slot->executor_proc);
		shared_set_latch(&slot->jobs_proc);
		shared_set_latch(&slot->remote_proc);
		if (!terminated && waited > PATIENCE)
		{
			terminate(ticker);
			terminate(maintenance);
			terminate(executor);
			terminate(jobs);
			terminate(remote);
			terminated = true;
		}
		if (waited > LAST_PATIENCE)
			break;
		pg_usleep(1000);
		CHECK_FOR_INTERRUPTS();
	}
}

static void
terminate(pid_t worker)
{
	if (worker != 0 && BackendPidGetProc(worker) != NULL)
		kill(worker, SIGTERM);
}

/* What a command's end is worth telling. */
static News
news_of(Node *statement)
{
	switch (nodeTag(statement))
	{
		case T_CreateExtensionStmt:
			return TELL_CREATED;
		case T_DropStmt:
			return ((DropStmt *) statement)->removeType == OBJECT_EXTENSION ||
				((DropStmt *) statement)->removeType == OBJECT_SCHEMA ? TELL_DROPPED : TELL_NOTHING;
		case T_CreatedbStmt:
		case T_DropdbStmt:
		case T_AlterDatabaseStmt:
			return TELL_DATABASE;
		case T_RenameStmt:
			return ((RenameStmt *) statement)->renameType == OBJECT_DATABASE ? TELL_DATABASE : TELL_NOTHING;
		case T_TransactionStmt:
			return ((TransactionStmt *) statement)->kind == TRANS_STMT_COMMIT_PREPARED ? TELL_PREPARED : TELL_NOTHING;
		default:
			return TELL_NOTHING;
	}
}

/* Tells it, after commit. */
static void
tell(News news)
{
	switch (news)
	{
		case TELL_CREATED:
			/* maybe ours, maybe one that needs ours */
			if (OidIsValid(get_extension_oid("pgtq", true)))
				wake_launcher(true);
			break;
		case TELL_DROPPED:
			wake_look();
			break;
		case TELL_DATABASE:
			wake_launcher(false);
			break;
		case TELL_PREPARED:
			wake_prepared();
			break;
		case TELL_NOTHING:
			break;
	}
}
