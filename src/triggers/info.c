/*
 * src/triggers/info.c
 *		What is remembered of a trigger and its table between rows.
 *
 * Runs in the session that changes the table, which holds a lock on it.
 *
 * An entry is dropped when PostgreSQL says that the table has changed, or a
 * schema, whose name is part of it.  That message can come in the middle of a
 * call: output functions and expressions may look into catalogs, run SQL, even
 * rename the table's columns, and fire the same trigger again.  So the message
 * only sets a flag; the next call makes a new entry, and the old one is freed
 * by the last call that uses it.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "triggers/trigger.h"

typedef struct TriggerSlot
{
	Oid			trigger;		/* hash key */
	TriggerInfo *info;			/* may be NULL */
} TriggerSlot;

static HTAB *slots = NULL;

static void make_slots(void);
static void relation_changed(Datum arg, Oid relid);
static void schema_changed(Datum arg, int cacheid, uint32 hashvalue);
static bool is_valid(const TriggerInfo *info);
static void forget_unused(void);
static TriggerInfo *make_info(TriggerData *tg);
static void fill_info(TriggerInfo *info, TriggerData *tg, const TriggerFormat *format);
static void collect_expressions(TriggerInfo *info);
static void add_expression(Expression *expression, const char *sql, const char *type, int target);
static void free_info(TriggerInfo *info);

/*
 * The entry of the trigger that has fired.  Must be released, also after an
 * error.
 */
TriggerInfo *
trigger_info_acquire(TriggerData *tg, const TriggerFormat *format)
{
	TriggerSlot *slot;
	bool		found;

	make_slots();
	slot = hash_search(slots, &tg->tg_trigger->tgoid, HASH_FIND, NULL);
	if (slot == NULL || !is_valid(slot->info))
	{
		forget_unused();
		slot = hash_search(slots, &tg->tg_trigger->tgoid, HASH_ENTER, &found);
		slot->info = make_info(tg);
		fill_info(slot->info, tg, format);
	}
	slot->info->users++;
	return slot->info;
}

void
trigger_info_release(TriggerInfo *info)
{
	TriggerSlot *slot;

	if (--info->users > 0 || !info->stale)
		return;
	slot = hash_search(slots, &info->trigger, HASH_FIND, NULL);
	if (slot != NULL && slot->info == info)
		slot->info = NULL;
	free_info(info);
}

static void
make_slots(void)
{
	HASHCTL		ctl;

	if (slots != NULL)
		return;
	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(TriggerSlot);
	slots = hash_create("pgtq triggers", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, schema_changed, (Datum) 0);
}

static bool
is_valid(const TriggerInfo *info)
{
	return info != NULL && info->complete && !info->stale;
}

/*
 * Frees the entries that nobody can use any more, also those of tables that are
 * gone: a session may make and drop any number of them.
 */
static void
forget_unused(void)
{
	HASH_SEQ_STATUS seq;
	TriggerSlot *slot;

	hash_seq_init(&seq, slots);
	while ((slot = hash_seq_search(&seq)) != NULL)
	{
		TriggerInfo *info = slot->info;

		if (is_valid(info) || (info != NULL && info->users > 0))
			continue;
		hash_search(slots, &slot->trigger, HASH_REMOVE, NULL);
		if (info != NULL)
			free_info(info);
	}
}

/* A relation has changed; InvalidOid: any may have. */
static void
relation_changed(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS seq;
	TriggerSlot *slot;

	hash_seq_init(&seq, slots);
	while ((slot = hash_seq_search(&seq)) != NULL)
	{
		TriggerInfo *info = slot->info;

		if (info != NULL && (!OidIsValid(relid) || info->relid == relid || info->key_table == relid))
			info->stale = true;
	}
}

static void
schema_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	relation_changed(arg, InvalidOid);
}

/* An empty entry: it is in its slot before it is filled, so that it hears of changes. */
static TriggerInfo *
make_info(TriggerData *tg)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "pgtq trigger",
												  ALLOCSET_SMALL_SIZES);
	TriggerInfo *info = MemoryContextAllocZero(context, sizeof(TriggerInfo));

	info->context = context;
	info->trigger = tg->tg_trigger->tgoid;
	info->relid = RelationGetRelid(tg->tg_relation);
	return info;
}

static void
fill_info(TriggerInfo *info, TriggerData *tg, const TriggerFormat *format)
{
	Relation	rel = tg->tg_relation;
	MemoryContext caller = MemoryContextSwitchTo(info->context);

	format->read_options(tg->tg_trigger, &info->options);
	info->queue = cstring_to_text(info->options.queue);
	info->table_name = psprintf("%s.%s", get_namespace_name(RelationGetNamespace(rel)),
								RelationGetRelationName(rel));
	trigger_make_columns(info, rel, format);
	if (format->prepare != NULL)
		format->prepare(info, rel);
	collect_expressions(info);
	MemoryContextSwitchTo(caller);
	info->complete = true;
}

static void
collect_expressions(TriggerInfo *info)
{
	static const char *const types[N_TIMER_FIELDS] = {
		[TIMER_AT] = "pg_catalog.timestamptz",
		[TIMER_IN] = "pg_catalog.interval",
	};
	const TriggerOptions *options = &info->options;

	add_expression(&info->when, options->when, NULL, 0);
	for (int field = 0; field < N_FIELDS; field++)
		add_expression(&info->fields, options->fields[field], NULL, field);

	add_expression(&info->cancel_when, options->cancel_when, NULL, 0);
	add_expression(&info->key, options->timer[TIMER_KEY], NULL, TIMER_KEY);
	for (int field = 0; field < N_TIMER_FIELDS; field++)
		add_expression(&info->timer, options->timer[field], types[field], field);
}

static void
add_expression(Expression *expression, const char *sql, const char *type, int target)
{
	if (sql == NULL)
		return;
	expression->sql[expression->n] = sql;
	expression->type[expression->n] = type;
	expression->target[expression->n] = target;
	expression->n++;
}

static void
free_info(TriggerInfo *info)
{
	expression_free(&info->when);
	expression_free(&info->fields);
	expression_free(&info->cancel_when);
	expression_free(&info->key);
	expression_free(&info->timer);
	MemoryContextDelete(info->context);
}
