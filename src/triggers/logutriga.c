/*
 * src/triggers/logutriga.c
 *		logutriga(): changes as urlencoded text.
 *
 *		ev_type		I:id, U:id, D:id (the primary key), R for TRUNCATE
 *		ev_data		id=1&name=a+b&price=1.50&nothing
 */
#include "postgres.h"

#include "triggers/trigger.h"

PG_FUNCTION_INFO_V1(pgtq_logutriga);

static char *make_type_tail(Relation rel, const char *pkey_option, List *pkey);
static void write_type(TriggerCall *call, StringInfo buf);
static bool write_data(TriggerCall *call, StringInfo buf);
static void write_backup(TriggerCall *call, StringInfo buf);

static const TriggerFormat format = {
	.read_options = trigger_read_options,
	.handle = trigger_make_event,
	.make_label = url_label,
	.make_backup_label = url_label,
	.make_type_tail = make_type_tail,
	.write_type = write_type,
	.write_data = write_data,
	.write_backup = write_backup,
};

Datum
pgtq_logutriga(PG_FUNCTION_ARGS)
{
	return trigger_run(fcinfo, &format);
}

/* The names are not encoded: PgQ's consumers split them at the commas. */
static char *
make_type_tail(Relation rel, const char *pkey_option, List *pkey)
{
	StringInfoData buf;
	ListCell   *lc;

	initStringInfo(&buf);
	appendStringInfoChar(&buf, ':');
	if (pkey_option != NULL)
	{
		appendStringInfoString(&buf, pkey_option);
		return buf.data;
	}
	foreach(lc, pkey)
	{
		if (lc != list_head(pkey))
			appendStringInfoChar(&buf, ',');
		appendStringInfoString(&buf, lfirst(lc));
	}
	return buf.data;
}

static void
write_type(TriggerCall *call, StringInfo buf)
{
	appendStringInfoChar(buf, operation_letter(call));
	if (call->row != NULL)
		appendStringInfoString(buf, call->info->type_tail);
}

static bool
write_data(TriggerCall *call, StringInfo buf)
{
	if (!is_worth_an_event(call))
		return false;
	if (call->row != NULL)
		append_url_row(buf, call, call->values, call->nulls, false);
	return true;
}

static void
write_backup(TriggerCall *call, StringInfo buf)
{
	append_url_row(buf, call, call->old_values, call->old_nulls, true);
}
