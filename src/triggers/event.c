/*
 * src/triggers/event.c
 *		From a changed row to an event: what all trigger functions do.
 *
 * Runs as the user who changes the table.  The event is inserted through SQL,
 * with that user's rights, so that an insert_event() of the administrator's own
 * making is honoured.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "triggers/trigger.h"

static void check_level(TriggerData *tg);
static void check_options(TriggerCall *call);
static void check_truncate(const TriggerOptions *options);
static const char *operation(TriggerEvent event);
static HeapTuple without_generated(HeapTuple row, TupleDesc desc);
static void set_magic_fields(TriggerCall *call, Datum *fields, bool *nulls);
static void start_text(StringInfo buf);
static Datum finish_text(StringInfo buf);
static void insert_event(TriggerCall *call, Datum *fields, bool *nulls);

/*
 * The body of a trigger function.
 *
 * Under session_replication_role local nothing is looked at, as in PgQ: the
 * change is somebody's repair work.
 */
Datum
trigger_run(FunctionCallInfo fcinfo, const TriggerFormat *format)
{
	TriggerData *tg = (TriggerData *) fcinfo->context;
	TriggerCall call;
	volatile bool skip = false;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("trigger functions can only be called as triggers")));

	if (SessionReplicationRole != SESSION_REPLICATION_ROLE_LOCAL)
	{
		check_level(tg);
		memset(&call, 0, sizeof(call));
		call.tg = tg;
		call.format = format;
		call.info = trigger_info_acquire(tg, format);
		PG_TRY();
		{
			format->handle(&call);
			skip = call.info->options.skip;
		}
		PG_FINALLY();
		{
			if (call.desc != NULL)
				ReleaseTupleDesc(call.desc);
			trigger_info_release(call.info);
		}
		PG_END_TRY();
	}

	if (TRIGGER_FIRED_AFTER(tg->tg_event) || skip)
		return PointerGetDatum(NULL);
	return PointerGetDatum(TRIGGER_FIRED_BY_UPDATE(tg->tg_event) ? tg->tg_newtuple : tg->tg_trigtuple);
}

/*
 * What jsontriga(), logutriga() and sqltriga() do.
 */
void
trigger_make_event(TriggerCall *call)
{
	Datum		fields[N_FIELDS];
	bool		nulls[N_FIELDS];
	StringInfoData type;
	StringInfoData data;
	StringInfoData backup;

	call->op = operation(call->tg->tg_event);
	check_options(call);
	trigger_read_rows(call);

	start_text(&data);
	if (!call->format->write_data(call, &data))
		return;
	start_text(&type);
	call->format->write_type(call, &type);

	memset(nulls, true, sizeof(nulls));
	fields[FIELD_TYPE] = finish_text(&type);
	fields[FIELD_DATA] = finish_text(&data);
	fields[FIELD_EXTRA1] = CStringGetTextDatum(call->info->table_name);
	nulls[FIELD_TYPE] = nulls[FIELD_DATA] = nulls[FIELD_EXTRA1] = false;
	if (call->info->options.backup && call->old != NULL)
	{
		start_text(&backup);
		call->format->write_backup(call, &backup);
		fields[FIELD_EXTRA2] = finish_text(&backup);
		nulls[FIELD_EXTRA2] = false;
	}
	if (call->info->has_magic && call->row != NULL)
		set_magic_fields(call, fields, nulls);

	if (evaluate_condition(call, &call->info->when, "when="))
	{
		evaluate_fields(call, &call->info->fields, fields, nulls);
		insert_event(call, fields, nulls);
	}
}

/* CREATE TRIGGER itself sees to it that TRUNCATE is for each statement. */
static void
check_level(TriggerData *tg)
{
	if (!TRIGGER_FIRED_BY_TRUNCATE(tg->tg_event) && !TRIGGER_FIRED_FOR_ROW(tg->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("pgtq Ins/Upd/Del trigger must be fired FOR EACH ROW"),
				 errhint("Only a trigger for TRUNCATE is FOR EACH STATEMENT.")));
}

/* What depends on how the trigger has fired; _trigger_event() checks in the same order. */
static void
check_options(TriggerCall *call)
{
	TriggerEvent event = call->tg->tg_event;
	const TriggerOptions *options = &call->info->options;

	if (TRIGGER_FIRED_BY_TRUNCATE(event))
		check_truncate(options);
	if (!call->info->has_pkey && (TRIGGER_FIRED_BY_UPDATE(event) || TRIGGER_FIRED_BY_DELETE(event)))
		trigger_no_pkey();
	if (options->skip && TRIGGER_FIRED_AFTER(event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("SKIP does not work in AFTER trigger."),
				 errhint("Make it a BEFORE trigger: only that can keep a row from being changed.")));
	if (options->deny)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("Table '%s' to queue '%s': change not allowed (%s)",
						call->info->table_name, options->queue, call->op)));
}

static void
check_truncate(const TriggerOptions *options)
{
	const char *what = NULL;

	if (options->when != NULL)
		what = "Custom expressions do";
	for (int field = 0; field < N_FIELDS; field++)
	{
		if (options->fields[field] != NULL)
			what = "Custom expressions do";
	}
	if (what == NULL && options->ignore != NULL)
		what = "Column ignore does";
	if (what == NULL && options->pkey != NULL)
		what = "Custom pkey_list does";
	if (what == NULL && options->backup)
		what = "Backup does";
	if (what != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("%s not make sense for truncate trigger", what),
				 errhint("TRUNCATE has no rows: make it a trigger of its own, without this argument.")));
}

void
trigger_no_pkey(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("Update/Delete on table without pkey"),
			 errhint("Give the table a primary key, or name the columns that tell rows apart with pkey=.")));
}

void
trigger_pkey_changed(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
			 errmsg("primary key update not allowed"),
			 errhint("Delete the row and insert it anew, or name other columns with pkey=.")));
}

static const char *
operation(TriggerEvent event)
{
	if (TRIGGER_FIRED_BY_INSERT(event))
		return "INSERT";
	if (TRIGGER_FIRED_BY_UPDATE(event))
		return "UPDATE";
	if (TRIGGER_FIRED_BY_DELETE(event))
		return "DELETE";
	return "TRUNCATE";
}

/* The operation as logutriga and sqltriga write it; R is for TRUNCATE. */
char
operation_letter(TriggerCall *call)
{
	return (call->op[0] == 'T') ? 'R' : call->op[0];
}

/*
 * Takes the rows apart.
 */
void
trigger_read_rows(TriggerCall *call)
{
	TriggerData *tg = call->tg;
	int			natts;

	/* pinned: an expression may alter the table, which makes it another one */
	call->desc = RelationGetDescr(tg->tg_relation);
	PinTupleDesc(call->desc);
	natts = Max(call->desc->natts, 1);
	if (TRIGGER_FIRED_BY_TRUNCATE(tg->tg_event))
		return;
	if (call->desc->natts != call->info->natts)
		elog(ERROR, "columns of table \"%s\" have changed under its trigger", call->info->table_name);
	call->row = tg->tg_trigtuple;
	if (TRIGGER_FIRED_BY_UPDATE(tg->tg_event))
	{
		call->row = tg->tg_newtuple;
		call->old = tg->tg_trigtuple;
		call->old_values = palloc(sizeof(Datum) * natts);
		call->old_nulls = palloc(sizeof(bool) * natts);
		heap_deform_tuple(call->old, call->desc, call->old_values, call->old_nulls);
	}
	if (TRIGGER_FIRED_BEFORE(tg->tg_event) && !TRIGGER_FIRED_BY_DELETE(tg->tg_event) &&
		call->desc->constr != NULL && call->desc->constr->has_generated_stored)
		call->row = without_generated(call->row, call->desc);
	call->values = palloc(sizeof(Datum) * natts);
	call->nulls = palloc(sizeof(bool) * natts);
	heap_deform_tuple(call->row, call->desc, call->values, call->nulls);
}

/*
 * Generated columns are computed after BEFORE triggers.  Until then they have
 * no value, or that of the old row, which is worse; PL/pgSQL shows NULL.
 */
static HeapTuple
without_generated(HeapTuple row, TupleDesc desc)
{
	Datum	   *values = palloc0(sizeof(Datum) * desc->natts);
	bool	   *nulls = palloc(sizeof(bool) * desc->natts);
	bool	   *replace = palloc(sizeof(bool) * desc->natts);

	for (int i = 0; i < desc->natts; i++)
	{
		nulls[i] = true;
		replace[i] = TupleDescAttr(desc, i)->attgenerated != '\0';
	}
	return heap_modify_tuple(row, desc, values, nulls, replace);
}

static void
set_magic_fields(TriggerCall *call, Datum *fields, bool *nulls)
{
	for (int i = 0; i < call->info->ncolumns; i++)
	{
		TriggerColumn *column = &call->info->columns[i];

		if (column->magic == NO_FIELD)
			continue;
		if (column->magic == BAD_FIELD)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("Unknown magic column: %s",
							NameStr(TupleDescAttr(call->desc, column->index)->attname)),
					 errhint("Columns that begin with _pgtq_ev_ set a field of the event: type, data, extra1 to extra4.")));
		nulls[column->magic] = call->nulls[column->index];
		if (!nulls[column->magic])
			fields[column->magic] = CStringGetTextDatum(column_text(column, call->values[column->index]));
	}
}

/* A buffer that becomes a text without being copied: its header comes first. */
static void
start_text(StringInfo buf)
{
	initStringInfo(buf);
	appendStringInfoSpaces(buf, VARHDRSZ);
}

static Datum
finish_text(StringInfo buf)
{
	SET_VARSIZE(buf->data, buf->len);
	return PointerGetDatum(buf->data);
}

/*
 * Through SQL, but as part of the running command: a command number of its own
 * for each row would make insert_event() look for the queue each time.
 */
static void
insert_event(TriggerCall *call, Datum *fields, bool *nulls)
{
	static SPIPlanPtr plan = NULL;
	Datum		args[1 + N_FIELDS];
	char		arg_nulls[1 + N_FIELDS];

	SPI_connect();
	if (plan == NULL)
	{
		Oid			types[1 + N_FIELDS] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID};
		SPIPlanPtr	made;

		made = SPI_prepare_cursor("select pgtq.insert_event($1, $2, $3, $4, $5, $6, $7)",
								  lengthof(types), types, CURSOR_OPT_GENERIC_PLAN);
		if (made == NULL)
			elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
		if (SPI_keepplan(made) != 0)
			elog(ERROR, "SPI_keepplan failed");
		plan = made;
	}
	args[0] = PointerGetDatum(call->info->queue);
	arg_nulls[0] = ' ';
	for (int field = 0; field < N_FIELDS; field++)
	{
		args[1 + field] = nulls[field] ? (Datum) 0 : fields[field];
		arg_nulls[1 + field] = nulls[field] ? 'n' : ' ';
	}
	if (SPI_execute_plan(plan, args, arg_nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan failed");
	SPI_finish();
}
