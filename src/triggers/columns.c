/*
 * src/triggers/columns.c
 *		The columns of a table that has one of our triggers.
 *
 * Runs in the session that changes the table.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "triggers/trigger.h"

#define MAGIC_PREFIX "_pgtq_ev_"

static List *primary_key(Relation rel);
static void make_column(TriggerInfo *info, TupleDesc desc, int index, List *pkey,
						const TriggerFormat *format);
static int	magic_field(const char *column);
static JsonKind json_kind(Oid type);
static bool is_compared_as_text(Oid type);

/*
 * Fills in the columns, and what else depends on the primary key.
 */
void
trigger_make_columns(TriggerInfo *info, Relation rel, const TriggerFormat *format)
{
	TupleDesc	desc = RelationGetDescr(rel);
	List	   *pkey = primary_key(rel);
	const char *pkey_option = info->options.pkey;
	List	   *names = NIL;
	ListCell   *lc;

	info->pkey = pkey;
	info->natts = desc->natts;
	info->columns = palloc0(sizeof(TriggerColumn) * Max(desc->natts, 1));
	for (int i = 0; i < desc->natts; i++)
	{
		if (!TupleDescAttr(desc, i)->attisdropped)
			make_column(info, desc, i, pkey, format);
	}

	foreach(lc, pkey)
		names = lappend(names, pstrdup(NameStr(TupleDescAttr(desc, lfirst_int(lc) - 1)->attname)));
	info->type_tail = format->make_type_tail(rel, pkey_option, names);
	info->has_pkey = (pkey_option != NULL) ? pkey_option[0] != '\0' : pkey != NIL;
}

/* The numbers of the primary key's columns, in the order of the key. */
static List *
primary_key(Relation rel)
{
	List	   *columns = NIL;
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(lc)));
		Form_pg_index index;

		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for index %u", lfirst_oid(lc));
		index = (Form_pg_index) GETSTRUCT(tuple);
		if (index->indisprimary)
		{
			for (int i = 0; i < index->indnkeyatts; i++)
				columns = lappend_int(columns, index->indkey.values[i]);
		}
		ReleaseSysCache(tuple);
	}
	list_free(indexes);
	return columns;
}

static void
make_column(TriggerInfo *info, TupleDesc desc, int index, List *pkey, const TriggerFormat *format)
{
	Form_pg_attribute att = TupleDescAttr(desc, index);
	const char *name = NameStr(att->attname);
	TriggerColumn *column = &info->columns[info->ncolumns++];
	Oid			output;
	bool		is_varlena;

	column->index = index;
	column->magic = magic_field(name);
	column->ignored = name_in_list(info->options.ignore, name, desc);
	if (column->magic != NO_FIELD)
		info->has_magic = true;
	else if (info->options.pkey != NULL)
		column->pkey = name_in_list(info->options.pkey, name, desc);
	else
		column->pkey = list_member_int(pkey, att->attnum);

	column->generated = (att->attgenerated != '\0');
	column->type = att->atttypid;
	column->collation = att->attcollation;
	column->typlen = att->attlen;
	column->typbyval = att->attbyval;
	column->compare_text = is_compared_as_text(att->atttypid);
	column->json = json_kind(att->atttypid);
	getTypeOutputInfo(att->atttypid, &output, &is_varlena);
	fmgr_info_cxt(output, &column->output, info->context);
	column->label = format->make_label(name);
	column->backup_label = format->make_backup_label(name);
}

/* The field that a column sets by its name. */
static int
magic_field(const char *column)
{
	static const char *const names[N_FIELDS] =
	{"type", "data", "extra1", "extra2", "extra3", "extra4"};

	if (strncmp(column, MAGIC_PREFIX, strlen(MAGIC_PREFIX)) != 0)
		return NO_FIELD;
	for (int field = 0; field < N_FIELDS; field++)
	{
		if (strcmp(column + strlen(MAGIC_PREFIX), names[field]) == 0)
			return field;
	}
	return BAD_FIELD;
}

static JsonKind
json_kind(Oid type)
{
	switch (type)
	{
		case BOOLOID:
			return JSON_BOOLEAN;
		case INT2OID:
			return JSON_INT2;
		case INT4OID:
			return JSON_INT4;
		case INT8OID:
			return JSON_INT8;
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return JSON_DATETIME;
		default:
			return JSON_STRING;
	}
}

/*
 * Arrays, as in PgQ: {1.0} and {1.00} are not the same.  And types without an
 * equality operator.
 */
static bool
is_compared_as_text(Oid type)
{
	return OidIsValid(get_base_element_type(type)) ||
		!OidIsValid(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr);
}

/* A value as its type writes it. */
char *
column_text(TriggerColumn *column, Datum value)
{
	return OutputFunctionCall(&column->output, value);
}

/*
 * Has an UPDATE changed a column?  What the type calls equal is the same:
 * 1.0 and 1.00.
 */
bool
column_changed(TriggerCall *call, TriggerColumn *column)
{
	bool		isnull = call->nulls[column->index];
	Datum		value = call->values[column->index];
	Datum		old_value = call->old_values[column->index];
	TypeCacheEntry *type;

	/* not computed yet */
	if (column->generated && TRIGGER_FIRED_BEFORE(call->tg->tg_event))
		return false;
	if (isnull || call->old_nulls[column->index])
		return isnull != call->old_nulls[column->index];
	if (datumIsEqual(value, old_value, column->typbyval, column->typlen))
		return false;
	if (column->compare_text)
		return strcmp(column_text(column, value), column_text(column, old_value)) != 0;

	type = lookup_type_cache(column->type, TYPECACHE_EQ_OPR_FINFO);
	if (!OidIsValid(type->eq_opr_finfo.fn_oid))
		elog(ERROR, "type %u has lost its equality operator", column->type);
	return !DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo, column->collation, old_value, value));
}

/*
 * An UPDATE that changes nothing but ignored columns makes no event; one that
 * changes nothing at all does.  The primary key must stay as it is.
 */
bool
is_worth_an_event(TriggerCall *call)
{
	TriggerInfo *info = call->info;
	bool		ignored = false;
	bool		other = false;

	if (call->old == NULL)
		return true;
	for (int i = 0; i < info->ncolumns; i++)
	{
		TriggerColumn *column = &info->columns[i];

		if ((!column->pkey && info->options.ignore == NULL) || !column_changed(call, column))
			continue;
		if (column->pkey)
			trigger_pkey_changed();
		if (column->ignored || column->magic != NO_FIELD)
			ignored = true;
		else
			other = true;
	}
	return other || !ignored;
}
