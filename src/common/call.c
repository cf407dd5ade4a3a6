/*
 * src/common/call.c
 *		Calling an SQL function of ours from C.
 */
#include "postgres.h"

#include "access/table.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/rel.h"

#include "common/call.h"
#include "common/queue.h"

/*
 * Calls a function of schema pgtq as the owner of our tables, with a safe
 * search_path, and returns what it returns.
 */
Datum
call_as_owner(const char *function, int nargs, Oid *types, Datum *values, const char *nulls,
			  bool byval, int typlen, bool *isnull)
{
	MemoryContext caller = CurrentMemoryContext;
	Relation	queue = table_open(pgtq_relation("queue"), AccessShareLock);
	StringInfoData sql;
	Oid			save_userid;
	int			save_sec_context;
	int			save_nestlevel;
	Datum		result;

	initStringInfo(&sql);
	appendStringInfo(&sql, "select %s.%s(", PGTQ_SCHEMA, function);
	for (int i = 0; i < nargs; i++)
		appendStringInfo(&sql, "%s$%d", i ? ", " : "", i + 1);
	appendStringInfoChar(&sql, ')');

	GetUserIdAndSecContext(&save_userid, &save_sec_context);
	SetUserIdAndSecContext(queue->rd_rel->relowner, save_sec_context | SECURITY_LOCAL_USERID_CHANGE);
	save_nestlevel = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	if (SPI_execute_with_args(sql.data, nargs, types, values, nulls, false, 1) != SPI_OK_SELECT ||
		SPI_processed != 1)
		elog(ERROR, "could not call %s.%s()", PGTQ_SCHEMA, function);
	result = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, isnull);
	if (!*isnull)
	{
		MemoryContextSwitchTo(caller);
		result = datumCopy(result, byval, typlen);
	}
	SPI_finish();
	AtEOXact_GUC(true, save_nestlevel);
	SetUserIdAndSecContext(save_userid, save_sec_context);
	table_close(queue, AccessShareLock);
	return result;
}
