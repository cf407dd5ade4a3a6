/*
 * src/triggers/jsontriga.c
 *		jsontriga(): changes as JSON.
 *
 *		ev_type		{"op":"INSERT","table":["schema","table"],"pkey":["id"]}
 *		ev_data		{"id":1,"name":"x","price":"1.50","paid":true}
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "triggers/trigger.h"

PG_FUNCTION_INFO_V1(pgtq_jsontriga);

static char *make_label(const char *column);
static char *make_type_tail(Relation rel, const char *pkey_option, List *pkey);
static void write_type(TriggerCall *call, StringInfo buf);
static bool write_data(TriggerCall *call, StringInfo buf);
static void write_backup(TriggerCall *call, StringInfo buf);
static void write_row(TriggerCall *call, StringInfo buf, const Datum *values, const bool *nulls);

static const TriggerFormat format = {
	.read_options = trigger_read_options,
	.handle = trigger_make_event,
	.make_label = make_label,
	.make_backup_label = make_label,
	.make_type_tail = make_type_tail,
	.write_type = write_type,
	.write_data = write_data,
	.write_backup = write_backup,
};

Datum
pgtq_jsontriga(PG_FUNCTION_ARGS)
{
	return trigger_run(fcinfo, &format);
}

static char *
make_label(const char *column)
{
	StringInfoData buf;

	initStringInfo(&buf);
	escape_json(&buf, column);
	appendStringInfoChar(&buf, ':');
	return buf.data;
}

/* pkey= is written as it was given, split at the commas. */
static char *
make_type_tail(Relation rel, const char *pkey_option, List *pkey)
{
	StringInfoData buf;
	ListCell   *lc;

	if (pkey_option != NULL)
	{
		pkey = NIL;
		for (const char *item = pkey_option; item != NULL;)
		{
			const char *comma = strchr(item, ',');

			pkey = lappend(pkey, comma ? pnstrdup(item, comma - item) : pstrdup(item));
			item = comma ? comma + 1 : NULL;
		}
	}

	initStringInfo(&buf);
	appendStringInfoString(&buf, ",\"table\":[");
	escape_json(&buf, get_namespace_name(RelationGetNamespace(rel)));
	appendStringInfoChar(&buf, ',');
	escape_json(&buf, RelationGetRelationName(rel));
	appendStringInfoString(&buf, "],\"pkey\":[");
	foreach(lc, pkey)
	{
		if (lc != list_head(pkey))
			appendStringInfoChar(&buf, ',');
		escape_json(&buf, lfirst(lc));
	}
	appendStringInfoString(&buf, "]}");
	return buf.data;
}

static void
write_type(TriggerCall *call, StringInfo buf)
{
	appendStringInfoString(buf, "{\"op\":\"");
	appendStringInfoString(buf, call->op);
	appendStringInfoChar(buf, '"');
	appendStringInfoString(buf, call->info->type_tail);
}

static bool
write_data(TriggerCall *call, StringInfo buf)
{
	if (!is_worth_an_event(call))
		return false;
	if (call->row == NULL)
		appendStringInfoString(buf, "{}");
	else
		write_row(call, buf, call->values, call->nulls);
	return true;
}

static void
write_backup(TriggerCall *call, StringInfo buf)
{
	write_row(call, buf, call->old_values, call->old_nulls);
}

static void
write_row(TriggerCall *call, StringInfo buf, const Datum *values, const bool *nulls)
{
	char		separator = '{';

	for (int i = 0; i < call->info->ncolumns; i++)
	{
		TriggerColumn *column = &call->info->columns[i];

		if (column->ignored || column->magic != NO_FIELD)
			continue;
		appendStringInfoChar(buf, separator);
		separator = ',';
		appendStringInfoString(buf, column->label);
		append_json_value(buf, column, values[column->index], nulls[column->index]);
	}
	if (separator == '{')
		appendStringInfoChar(buf, '{');
	appendStringInfoChar(buf, '}');
}
