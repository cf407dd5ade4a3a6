/*
 * src/triggers/expression.c
 *		Evaluating SQL that the owner of a trigger has written in its arguments.
 *
 * Runs as the user who changes the table, as all code of triggers does, on that
 * user's search_path.  The row gets into it by parameters, never as text.
 *
 * An expression sees the columns of the row by their names, alone or after the
 * table's, and both rows as new and old; what is not there is NULL.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "common/dated.h"
#include "triggers/trigger.h"

/* parameters of the query */
enum
{
	PARAM_NEW,
	PARAM_OLD,
	PARAM_ROW,
	N_PARAMS
};

static SPIPlanPtr plan_of(TriggerCall *call, Expression *expression);
static bool is_dated(const Expression *expression);
static char *query_text(TriggerCall *call, const Expression *expression);
static void execute(TriggerCall *call, Expression *expression);
static void bind_row(HeapTuple row, TupleDesc desc, Datum *value, char *null);
static Datum copy_result(int i, MemoryContext context, bool *isnull);
static Datum copy_result_as_text(int i, MemoryContext context, bool *isnull);

/*
 * Is a condition met?  One that is not given is.
 */
bool
evaluate_condition(TriggerCall *call, Expression *expression, const char *name)
{
	Oid			type;
	Datum		result;
	bool		isnull;

	if (expression->n == 0)
		return true;
	SPI_connect();
	execute(call, expression);
	type = SPI_gettypeid(SPI_tuptable->tupdesc, 1);
	if (type != BOOLOID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s must be boolean, got %s", name, format_type_be(type)),
				 errdetail("Expression: %s", expression->sql[0])));
	result = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s should not be NULL", name),
				 errdetail("Expression: %s", expression->sql[0]),
				 errhint("Write coalesce(expression, false) to do nothing where it is not known.")));
	SPI_finish();
	return DatumGetBool(result);
}

/*
 * Sets the fields that have an expression, in the caller's context: as text, or
 * of the type that they are cast to.
 */
void
evaluate_fields(TriggerCall *call, Expression *expression, Datum *fields, bool *nulls)
{
	MemoryContext caller = CurrentMemoryContext;

	if (expression->n == 0)
		return;
	SPI_connect();
	execute(call, expression);
	for (int i = 0; i < expression->n; i++)
	{
		int			field = expression->target[i];

		if (expression->type[i] != NULL)
			fields[field] = copy_result(i, caller, &nulls[field]);
		else
			fields[field] = copy_result_as_text(i, caller, &nulls[field]);
	}
	SPI_finish();
}

static Datum
copy_result(int i, MemoryContext context, bool *isnull)
{
	TupleDesc	desc = SPI_tuptable->tupdesc;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[0], desc, i + 1, isnull);
	MemoryContext spi = MemoryContextSwitchTo(context);

	if (!*isnull)
		value = datumCopy(value, TupleDescAttr(desc, i)->attbyval, TupleDescAttr(desc, i)->attlen);
	MemoryContextSwitchTo(spi);
	return value;
}

static Datum
copy_result_as_text(int i, MemoryContext context, bool *isnull)
{
	char	   *value = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1);
	MemoryContext spi = MemoryContextSwitchTo(context);
	Datum		result = (value != NULL) ? CStringGetTextDatum(value) : (Datum) 0;

	*isnull = (value == NULL);
	MemoryContextSwitchTo(spi);
	return result;
}

/* Runs the query, which has one row; the result is in SPI_tuptable. */
static void
execute(TriggerCall *call, Expression *expression)
{
	Datum		values[N_PARAMS];
	char		nulls[N_PARAMS];
	bool		is_delete = TRIGGER_FIRED_BY_DELETE(call->tg->tg_event);
	SPIPlanPtr	plan = plan_of(call, expression);

	bind_row(is_delete ? NULL : call->row, call->desc, &values[PARAM_NEW], &nulls[PARAM_NEW]);
	bind_row(is_delete ? call->row : call->old, call->desc, &values[PARAM_OLD], &nulls[PARAM_OLD]);
	values[PARAM_ROW] = is_delete ? values[PARAM_OLD] : values[PARAM_NEW];
	nulls[PARAM_ROW] = ' ';
	if (SPI_execute_plan(plan, values, nulls, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan failed");

	/* an expression can be a set; these are the words of PL/pgSQL */
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("query returned no rows")));
	if (SPI_processed > 1)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_ROWS),
				 errmsg("query returned more than one row")));
}

static void
bind_row(HeapTuple row, TupleDesc desc, Datum *value, char *null)
{
	*value = (row != NULL) ? heap_copy_tuple_as_datum(row, desc) : (Datum) 0;
	*null = (row != NULL) ? ' ' : 'n';
}

/* It is kept, if it is good at any time. */
static SPIPlanPtr
plan_of(TriggerCall *call, Expression *expression)
{
	Oid			row_type = call->tg->tg_relation->rd_rel->reltype;
	Oid			types[N_PARAMS] = {row_type, row_type, row_type};
	SPIPlanPtr	plan;

	if (expression->plan != NULL)
		return expression->plan;
	/* planned once: nothing in it depends on the values */
	plan = SPI_prepare_cursor(query_text(call, expression), N_PARAMS, types, CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
	if (is_dated(expression))
		return plan;
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "SPI_keepplan failed");
	expression->plan = plan;
	return plan;
}

static bool
is_dated(const Expression *expression)
{
	for (int i = 0; i < expression->n; i++)
	{
		if (sql_is_dated(expression->sql[i]))
			return true;
	}
	return false;
}

/*
 * Names that stand alone are looked up in the innermost FROM first, so they
 * are the row's; new and old are found one level up.  A line feed ends a
 * comment at the end of an expression.
 */
static char *
query_text(TriggerCall *call, const Expression *expression)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "select _e.* from (select ($1).*) as new, (select ($2).*) as old, lateral (select ");
	for (int i = 0; i < expression->n; i++)
	{
		appendStringInfo(&sql, "%s(%s\n)", i > 0 ? ", " : "", expression->sql[i]);
		if (expression->type[i] != NULL)
			appendStringInfo(&sql, "::%s", expression->type[i]);
		appendStringInfo(&sql, " as _%d", i + 1);
	}
	appendStringInfo(&sql, " from (select ($3).*) as %s) as _e",
					 quote_identifier(RelationGetRelationName(call->tg->tg_relation)));
	return sql.data;
}

void
expression_free(Expression *expression)
{
	if (expression->plan != NULL)
		SPI_freeplan(expression->plan);
	expression->plan = NULL;
}
