/*
 * src/common/insert.c
 *		Inserting a row without SQL, where nobody could tell the difference.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "common/insert.h"

static void insert_directly(Relation rel, int ncolumns, const Datum *values, const bool *nulls);
static void insert_by_sql(Relation rel, int ncolumns, const Datum *values, const bool *nulls);

/*
 * Inserts a row; columns beyond the given ones get their defaults.  The caller
 * has locked the table.
 *
 * An administrator may put triggers or rules on a table of ours, or add
 * columns.  Then it is an INSERT like any other, run as the table's owner
 * with a safe search_path, as in the PL build.
 */
void
insert_row(Relation rel, int ncolumns, const Datum *values, const bool *nulls)
{
	if (rel->trigdesc == NULL && rel->rd_rules == NULL &&
		RelationGetDescr(rel)->natts == ncolumns)
		insert_directly(rel, ncolumns, values, nulls);
	else
		insert_by_sql(rel, ncolumns, values, nulls);
}

/* Constraints are checked and indexes kept, as the executor does. */
static void
insert_directly(Relation rel, int ncolumns, const Datum *values, const bool *nulls)
{
	EState	   *estate = CreateExecutorState();
	MemoryContext caller = MemoryContextSwitchTo(estate->es_query_cxt);
	ResultRelInfo *target = makeNode(ResultRelInfo);
	TupleTableSlot *slot = MakeTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);

	InitResultRelInfo(target, rel, 0, NULL, 0); /* 0: there is no range table */
	ExecOpenIndices(target, false);
	memcpy(slot->tts_values, values, ncolumns * sizeof(Datum));
	memcpy(slot->tts_isnull, nulls, ncolumns * sizeof(bool));
	ExecStoreVirtualTuple(slot);
	ExecSimpleRelationInsert(target, estate, slot);

	ExecCloseIndices(target);
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextSwitchTo(caller);
	FreeExecutorState(estate);
}

static void
insert_by_sql(Relation rel, int ncolumns, const Datum *values, const bool *nulls)
{
	TupleDesc	desc = RelationGetDescr(rel);
	StringInfoData columns;
	StringInfoData params;
	char	   *sql;
	Oid		   *types = palloc(ncolumns * sizeof(Oid));
	char	   *spi_nulls = palloc(ncolumns);
	Oid			save_userid;
	int			save_sec_context;
	int			save_nestlevel;

	initStringInfo(&columns);
	initStringInfo(&params);
	for (int i = 0; i < ncolumns; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		appendStringInfo(&columns, "%s%s", i ? ", " : "", quote_identifier(NameStr(att->attname)));
		appendStringInfo(&params, "%s$%d", i ? ", " : "", i + 1);
		types[i] = att->atttypid;
		spi_nulls[i] = nulls[i] ? 'n' : ' ';
	}
	sql = psprintf("insert into %s (%s) values (%s)",
				   quote_qualified_identifier(get_namespace_name(RelationGetNamespace(rel)),
											  RelationGetRelationName(rel)),
				   columns.data, params.data);

	GetUserIdAndSecContext(&save_userid, &save_sec_context);
	SetUserIdAndSecContext(rel->rd_rel->relowner, save_sec_context | SECURITY_LOCAL_USERID_CHANGE);
	save_nestlevel = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	if (SPI_execute_with_args(sql, ncolumns, types, unconstify(Datum *, values), spi_nulls, false, 0) < 0)
		elog(ERROR, "could not insert into table \"%s\"", RelationGetRelationName(rel));
	SPI_finish();
	AtEOXact_GUC(true, save_nestlevel);
	SetUserIdAndSecContext(save_userid, save_sec_context);
}
