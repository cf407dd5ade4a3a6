/*
 * src/triggers/sqltriga.c
 *		sqltriga(): changes as what follows the table's name in an SQL command.
 *
 *		ev_type		I, U, D, R for TRUNCATE
 *		ev_data		(id,name) values ('1','x')
 *					name='y' where id='1'
 *					id='1'
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "triggers/trigger.h"

PG_FUNCTION_INFO_V1(pgtq_sqltriga);

static char *make_label(const char *column);
static char *make_type_tail(Relation rel, const char *pkey_option, List *pkey);
static void write_type(TriggerCall *call, StringInfo buf);
static bool write_data(TriggerCall *call, StringInfo buf);
static void write_insert(TriggerCall *call, StringInfo buf);
static bool write_update(TriggerCall *call, StringInfo buf);
static void write_key(TriggerCall *call, StringInfo buf, bool first_only);
static void append_literal(StringInfo buf, TriggerColumn *column, Datum value);
static void write_backup(TriggerCall *call, StringInfo buf);

static const TriggerFormat format = {
	.read_options = trigger_read_options,
	.handle = trigger_make_event,
	.make_label = make_label,
	.make_backup_label = url_label,
	.make_type_tail = make_type_tail,
	.write_type = write_type,
	.write_data = write_data,
	.write_backup = write_backup,
};

Datum
pgtq_sqltriga(PG_FUNCTION_ARGS)
{
	return trigger_run(fcinfo, &format);
}

static char *
make_label(const char *column)
{
	return pstrdup(quote_identifier(column));
}

static char *
make_type_tail(Relation rel, const char *pkey_option, List *pkey)
{
	return NULL;
}

static void
write_type(TriggerCall *call, StringInfo buf)
{
	appendStringInfoChar(buf, operation_letter(call));
}

static bool
write_data(TriggerCall *call, StringInfo buf)
{
	if (call->row == NULL)
		return true;
	if (call->old != NULL)
		return write_update(call, buf);
	if (TRIGGER_FIRED_BY_DELETE(call->tg->tg_event))
		write_key(call, buf, false);
	else
		write_insert(call, buf);
	return true;
}

static void
write_insert(TriggerCall *call, StringInfo buf)
{
	TriggerInfo *info = call->info;
	bool		first = true;

	appendStringInfoChar(buf, '(');
	for (int i = 0; i < info->ncolumns; i++)
	{
		TriggerColumn *column = &info->columns[i];

		if (column->ignored || column->magic != NO_FIELD)
			continue;
		if (!first)
			appendStringInfoChar(buf, ',');
		first = false;
		appendStringInfoString(buf, column->label);
	}
	appendStringInfoString(buf, ") values (");
	first = true;
	for (int i = 0; i < info->ncolumns; i++)
	{
		TriggerColumn *column = &info->columns[i];

		if (column->ignored || column->magic != NO_FIELD)
			continue;
		if (!first)
			appendStringInfoChar(buf, ',');
		first = false;
		if (call->nulls[column->index])
			appendStringInfoString(buf, "null");
		else
			append_literal(buf, column, call->values[column->index]);
	}
	appendStringInfoChar(buf, ')');
}

/*
 * Only what has changed.  If that is nothing, the first column of the key is
 * set to what it is; if it is ignored columns only, there is no event.
 */
static bool
write_update(TriggerCall *call, StringInfo buf)
{
	TriggerInfo *info = call->info;
	bool		first = true;
	bool		ignored = false;

	for (int i = 0; i < info->ncolumns; i++)
	{
		TriggerColumn *column = &info->columns[i];

		if (!column_changed(call, column))
			continue;
		if (column->pkey)
			trigger_pkey_changed();
		if (column->ignored || column->magic != NO_FIELD)
		{
			ignored = true;
			continue;
		}
		if (!first)
			appendStringInfoChar(buf, ',');
		first = false;
		appendStringInfoString(buf, column->label);
		appendStringInfoChar(buf, '=');
		if (call->nulls[column->index])
			appendStringInfoString(buf, "NULL");
		else
			append_literal(buf, column, call->values[column->index]);
	}
	if (first && ignored)
		return false;
	if (first)
		write_key(call, buf, true);
	appendStringInfoString(buf, " where ");
	write_key(call, buf, false);
	return true;
}

/* The condition that finds the row, or its first part. */
static void
write_key(TriggerCall *call, StringInfo buf, bool first_only)
{
	const Datum *values = call->old ? call->old_values : call->values;
	const bool *nulls = call->old ? call->old_nulls : call->nulls;
	bool		first = true;

	for (int i = 0; i < call->info->ncolumns; i++)
	{
		TriggerColumn *column = &call->info->columns[i];

		if (!column->pkey)
			continue;
		if (nulls[column->index])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("Unexpected NULL key value"),
					 errhint("Columns of pkey= must not be NULL.")));
		if (!first)
			appendStringInfoString(buf, " and ");
		first = false;
		appendStringInfoString(buf, column->label);
		appendStringInfoChar(buf, '=');
		append_literal(buf, column, values[column->index]);
		if (first_only)
			return;
	}
	/* pkey= names no column of the table */
	if (first)
		trigger_no_pkey();
}

static void
append_literal(StringInfo buf, TriggerColumn *column, Datum value)
{
	appendStringInfoString(buf, quote_literal_cstr(column_text(column, value)));
}

/* Urlencoded, as PgQ has it. */
static void
write_backup(TriggerCall *call, StringInfo buf)
{
	append_url_row(buf, call, call->old_values, call->old_nulls, true);
}
