/*
 * src/triggers/timertriga.c
 *		timertriga(): a changed row makes, moves or cancels a timer.
 *
 * Runs as the user who changes the table.  Timers are scheduled and cancelled
 * through SQL, with that user's rights: so they belong to that user, and nobody
 * can make them another's.  The texts of errors are those of the PL build's
 * _trigger_timer() and the functions that it calls.
 */
#include "postgres.h"

#include "catalog/partition.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "triggers/trigger.h"

PG_FUNCTION_INFO_V1(pgtq_timertriga);

/* an SQL function to call, prepared when it is first called */
typedef struct TimerFunction
{
	const char *sql;
	int			nargs;
	Oid			types[4];
	SPIPlanPtr	plan;
} TimerFunction;

static void prepare(TriggerInfo *info, Relation rel);
static Oid	find_key_table(Relation rel);
static void handle(TriggerCall *call);
static char *make_type_tail(Relation rel, const char *pkey_option, List *pkey);
static void check_trigger(TriggerCall *call);
static void check_key_is_the_same(TriggerCall *call);
static void schedule(TriggerCall *call);
static void cancel(TriggerCall *call);
static Datum default_key(TriggerCall *call);
static TriggerColumn *key_column(TriggerInfo *info, AttrNumber number);
static void check_not_null(TriggerCall *call, TimerField field, bool isnull);
static void call_function(TimerFunction *function, Datum *args);

static const TriggerFormat format = {
	.read_options = trigger_read_timer_options,
	.prepare = prepare,
	.handle = handle,
	.make_label = url_label,
	.make_backup_label = url_label,
	.make_type_tail = make_type_tail,
};

Datum
pgtq_timertriga(PG_FUNCTION_ARGS)
{
	return trigger_run(fcinfo, &format);
}

static char *
make_type_tail(Relation rel, const char *pkey_option, List *pkey)
{
	return NULL;
}

/* How the keys of timers begin: schema.table: */
static void
prepare(TriggerInfo *info, Relation rel)
{
	info->key_table = find_key_table(rel);
	info->key_prefix = psprintf("%s:",
								quote_qualified_identifier(get_namespace_name(get_rel_namespace(info->key_table)),
														   get_rel_name(info->key_table)));
}

/*
 * A row of a partitioned table has one key, in whichever partition it is: that
 * of the topmost table whose primary key the partition's is a part of.
 */
static Oid
find_key_table(Relation rel)
{
	Oid			table = RelationGetRelid(rel);
	List	   *ancestors;
	ListCell   *lc;

	if (!rel->rd_rel->relispartition)
		return table;
	ancestors = get_partition_ancestors(table);
	foreach(lc, ancestors)
	{
		Oid			constraint;

		if (get_primary_key_attnos(lfirst_oid(lc), true, &constraint) != NULL)
			table = lfirst_oid(lc);
	}
	return table;
}

/* The PL build's _trigger_timer() does the same, in the same order. */
static void
handle(TriggerCall *call)
{
	TriggerInfo *info = call->info;

	check_trigger(call);
	trigger_read_rows(call);
	if (info->options.timer[TIMER_KEY] == NULL && call->old != NULL)
		check_key_is_the_same(call);

	if (TRIGGER_FIRED_BY_DELETE(call->tg->tg_event) ||
		(info->cancel_when.n > 0 && evaluate_condition(call, &info->cancel_when, "cancel_when=")))
		cancel(call);
	else if (info->options.timer[TIMER_ACTION] != NULL && evaluate_condition(call, &info->when, "when="))
		schedule(call);
}

static void
check_trigger(TriggerCall *call)
{
	TriggerEvent event = call->tg->tg_event;

	if (TRIGGER_FIRED_BY_TRUNCATE(event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("timer trigger does not work for TRUNCATE"),
				 errhint("TRUNCATE has no rows, so it is not known which timers to cancel.")));
	if (!TRIGGER_FIRED_AFTER(event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("timer trigger must be an AFTER trigger"),
				 errhint("What another trigger sees is not yet what is stored.")));
	if (call->info->options.timer[TIMER_KEY] == NULL && call->info->pkey == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("timer trigger on table without pkey"),
				 errdetail("Table: %s", call->info->table_name),
				 errhint("Give the table a primary key, or say with key= what the key of a timer is.")));
}

/* A key that is made of the primary key would lose the timer of the old one. */
static void
check_key_is_the_same(TriggerCall *call)
{
	ListCell   *lc;

	foreach(lc, call->info->pkey)
	{
		if (column_changed(call, key_column(call->info, lfirst_int(lc))))
			ereport(ERROR,
					(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
					 errmsg("primary key update not allowed"),
					 errhint("Delete the row and insert it anew, or say with key= what the key of a timer is.")));
	}
}

static void
schedule(TriggerCall *call)
{
	static TimerFunction schedule_at = {
		.sql = "select pgtq.schedule_at($1, $2, queue => $3, key => $4, on_conflict => 'replace')",
		.nargs = 4,
		.types = {TIMESTAMPTZOID, TEXTOID, TEXTOID, TEXTOID},
	};
	static TimerFunction schedule_in = {
		.sql = "select pgtq.schedule_in($1, $2, queue => $3, key => $4, on_conflict => 'replace')",
		.nargs = 4,
		.types = {INTERVALOID, TEXTOID, TEXTOID, TEXTOID},
	};
	TimerField	when = (call->info->options.timer[TIMER_AT] != NULL) ? TIMER_AT : TIMER_IN;
	Datum		fields[N_TIMER_FIELDS];
	bool		nulls[N_TIMER_FIELDS];
	Datum		args[4];

	if (call->info->key.n == 0)
	{
		fields[TIMER_KEY] = default_key(call);
		nulls[TIMER_KEY] = false;
	}
	evaluate_fields(call, &call->info->timer, fields, nulls);
	check_not_null(call, TIMER_KEY, nulls[TIMER_KEY]);
	check_not_null(call, when, nulls[when]);
	check_not_null(call, TIMER_ACTION, nulls[TIMER_ACTION]);

	args[0] = fields[when];
	args[1] = fields[TIMER_ACTION];
	args[2] = PointerGetDatum(call->info->queue);
	args[3] = fields[TIMER_KEY];
	call_function(when == TIMER_AT ? &schedule_at : &schedule_in, args);
}

static void
cancel(TriggerCall *call)
{
	static TimerFunction cancel_key = {
		.sql = "select pgtq.cancel_key($1, $2)",
		.nargs = 2,
		.types = {TEXTOID, TEXTOID},
	};
	Datum		fields[N_TIMER_FIELDS];
	bool		nulls[N_TIMER_FIELDS];
	Datum		args[2];

	if (call->info->key.n == 0)
		args[0] = default_key(call);
	else
	{
		evaluate_fields(call, &call->info->key, fields, nulls);
		check_not_null(call, TIMER_KEY, nulls[TIMER_KEY]);
		args[0] = fields[TIMER_KEY];
	}
	args[1] = PointerGetDatum(call->info->queue);
	call_function(&cancel_key, args);
}

/* schema.table:value,value with the values of the primary key, urlencoded. */
static Datum
default_key(TriggerCall *call)
{
	StringInfoData key;
	ListCell   *lc;

	initStringInfo(&key);
	appendStringInfoString(&key, call->info->key_prefix);
	foreach(lc, call->info->pkey)
	{
		TriggerColumn *column = key_column(call->info, lfirst_int(lc));

		if (lc != list_head(call->info->pkey))
			appendStringInfoChar(&key, ',');
		append_url(&key, column_text(column, call->values[column->index]));
	}
	return CStringGetTextDatum(key.data);
}

static TriggerColumn *
key_column(TriggerInfo *info, AttrNumber number)
{
	for (int i = 0; i < info->ncolumns; i++)
	{
		if (info->columns[i].index == number - 1)
			return &info->columns[i];
	}
	elog(ERROR, "no column %d in table \"%s\"", number, info->table_name);
}

static void
check_not_null(TriggerCall *call, TimerField field, bool isnull)
{
	static const char *const names[N_TIMER_FIELDS] = {"key=", "at=", "in=", "action="};

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s should not be NULL", names[field]),
				 errdetail("Expression: %s", call->info->options.timer[field]),
				 field == TIMER_KEY ?
				 errhint("Columns without new and old before them are known to INSERT, UPDATE and DELETE.") :
				 errhint("Say with when= which rows have a timer.")));
}

/* A command of its own, as in PL/pgSQL: a key is looked up in the latest state. */
static void
call_function(TimerFunction *function, Datum *args)
{
	SPI_connect();
	if (function->plan == NULL)
	{
		SPIPlanPtr	made = SPI_prepare_cursor(function->sql, function->nargs, function->types,
											  CURSOR_OPT_GENERIC_PLAN);

		if (made == NULL)
			elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
		if (SPI_keepplan(made) != 0)
			elog(ERROR, "SPI_keepplan failed");
		function->plan = made;
	}
	if (SPI_execute_plan(function->plan, args, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan failed");
	SPI_finish();
}
