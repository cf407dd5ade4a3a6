/*
 * src/common/insert.c
 *		Inserting rows without SQL, where nobody could tell the difference.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "common/insert.h"
#include "compat.h"

/* how many rows go into the table at once */
#define ROWS_AT_ONCE 1000

static void insert_directly(Relation rel, int ncolumns, int nrows, const Datum *values, const bool *nulls);
static void settle_predicates(ResultRelInfo *target, int ncolumns, int nrows, const bool *nulls);
static int	count_nulls(AttrNumber column, int ncolumns, int nrows, const bool *nulls);
static void insert_some(ResultRelInfo *target, EState *estate, TupleTableSlot **slots, int nslots);
static void insert_by_sql(Relation rel, int ncolumns, const Datum *values, const bool *nulls);

/*
 * Inserts a row; columns beyond the given ones get their defaults.  The caller
 * has locked the table.
 */
void
insert_row(Relation rel, int ncolumns, const Datum *values, const bool *nulls)
{
	insert_rows(rel, ncolumns, 1, values, nulls);
}

/*
 * Inserts many rows; the columns of one follow those of another.
 *
 * An administrator may put triggers or rules on a table of ours, or add
 * columns.  Then it is an INSERT like any other, run as the table's owner
 * with a safe search_path, as in the PL build.
 */
void
insert_rows(Relation rel, int ncolumns, int nrows, const Datum *values, const bool *nulls)
{
	if (nrows == 0)
		return;
	if (rel->trigdesc == NULL && rel->rd_rules == NULL &&
		RelationGetDescr(rel)->natts == ncolumns)
		insert_directly(rel, ncolumns, nrows, values, nulls);
	else
		for (int i = 0; i < nrows; i++)
			insert_by_sql(rel, ncolumns, values + i * ncolumns, nulls + i * ncolumns);
}

/* Constraints are checked and indexes kept, as the executor does. */
static void
insert_directly(Relation rel, int ncolumns, int nrows, const Datum *values, const bool *nulls)
{
	EState	   *estate = CreateExecutorState();
	MemoryContext caller = MemoryContextSwitchTo(estate->es_query_cxt);
	ResultRelInfo *target = makeNode(ResultRelInfo);
	int			nslots = Min(nrows, ROWS_AT_ONCE);
	TupleTableSlot **slots = palloc(nslots * sizeof(TupleTableSlot *));

	for (int i = 0; i < nslots; i++)
		slots[i] = table_slot_create(rel, NULL);
	InitResultRelInfo(target, rel, 0, NULL, 0); /* 0: there is no range table */
	ExecOpenIndices(target, false);
	settle_predicates(target, ncolumns, nrows, nulls);

	for (int done = 0; done < nrows; done += nslots)
	{
		nslots = Min(nslots, nrows - done);
		for (int i = 0; i < nslots; i++)
		{
			ExecClearTuple(slots[i]);
			memcpy(slots[i]->tts_values, values + (done + i) * ncolumns, ncolumns * sizeof(Datum));
			memcpy(slots[i]->tts_isnull, nulls + (done + i) * ncolumns, ncolumns * sizeof(bool));
			ExecStoreVirtualTuple(slots[i]);
		}
		insert_some(target, estate, slots, nslots);
	}

	ExecCloseIndices(target);
	for (int i = 0; i < Min(nrows, ROWS_AT_ONCE); i++)
		ExecDropSingleTupleTableSlot(slots[i]);
	MemoryContextSwitchTo(caller);
	FreeExecutorState(estate);
}

/*
 * Our partial indexes are on rows where some column is null, or is not.  Where
 * all rows are alike in that, it is settled here, and not compiled and evaluated for each.
 */
static void
settle_predicates(ResultRelInfo *target, int ncolumns, int nrows, const bool *nulls)
{
	for (int i = 0; i < target->ri_NumIndices; i++)
	{
		IndexInfo  *index = target->ri_IndexRelationInfo[i];
		NullTest   *test;
		AttrNumber	column;
		int			count;

		if (list_length(index->ii_Predicate) != 1 || !IsA(linitial(index->ii_Predicate), NullTest))
			continue;
		test = linitial_node(NullTest, index->ii_Predicate);
		if (!IsA(test->arg, Var) || test->argisrow)
			continue;
		column = ((Var *) test->arg)->varattno;
		if (column < 1 || column > ncolumns)
			continue;
		count = count_nulls(column, ncolumns, nrows, nulls);
		if (count == (test->nulltesttype == IS_NULL ? 0 : nrows))
			index->ii_ReadyForInserts = false;	/* none belongs into it */
		else if (count == (test->nulltesttype == IS_NULL ? nrows : 0))
			index->ii_Predicate = NIL;	/* all do */
	}
}

static int
count_nulls(AttrNumber column, int ncolumns, int nrows, const bool *nulls)
{
	int			count = 0;

	for (int i = 0; i < nrows; i++)
		count += nulls[i * ncolumns + column - 1];
	return count;
}

static void
insert_some(ResultRelInfo *target, EState *estate, TupleTableSlot **slots, int nslots)
{
	Relation	rel = target->ri_RelationDesc;

	if (nslots == 1)
	{
		ExecSimpleRelationInsert(target, estate, slots[0]);
		return;
	}
	if (rel->rd_att->constr)
		for (int i = 0; i < nslots; i++)
			ExecConstraints(target, slots[i], estate);
	table_multi_insert(rel, slots, nslots, GetCurrentCommandId(true), 0, NULL);
	for (int i = 0; i < nslots; i++)
	{
		if (target->ri_NumIndices > 0)
			list_free(ExecInsertIndexTuples(target, slots[i], estate, false, false, NULL, NIL));
		ResetPerTupleExprContext(estate);
	}
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
