/*
 * src/triggers/options.c
 *		Reading the arguments of CREATE TRIGGER.
 *
 * Runs once per trigger and session, see info.c.  The texts of errors are
 * those of _trigger_options() in the PL build.
 */
#include "postgres.h"

#include "triggers/trigger.h"

/* as isspace() has them in the C locale */
#define BLANKS " \t\n\r\f\v"

#define FLAG(name, member) \
	{name, offsetof(TriggerOptions, member), false, false}
#define LIST(name, member) \
	{name, offsetof(TriggerOptions, member), true, false}
#define EXPRESSION(name, member) \
	{name, offsetof(TriggerOptions, member), true, true}

/* the arguments of the triggers that make events */
static const TriggerKeyword event_keywords[] = {
	FLAG("SKIP", skip),
	FLAG("skip", skip),
	FLAG("backup", backup),
	FLAG("deny", deny),
	LIST("ignore=", ignore),
	LIST("pkey=", pkey),
	EXPRESSION("when=", when),
	EXPRESSION("ev_type=", fields[FIELD_TYPE]),
	EXPRESSION("ev_data=", fields[FIELD_DATA]),
	EXPRESSION("ev_extra1=", fields[FIELD_EXTRA1]),
	EXPRESSION("ev_extra2=", fields[FIELD_EXTRA2]),
	EXPRESSION("ev_extra3=", fields[FIELD_EXTRA3]),
	EXPRESSION("ev_extra4=", fields[FIELD_EXTRA4]),
};

static const char known_to_event_triggers[] =
"Known are SKIP, backup, deny, ignore=, pkey=, when=, ev_type=, ev_data=, ev_extra1= to ev_extra4=.";

/* those of timertriga() */
static const TriggerKeyword timer_keywords[] = {
	EXPRESSION("key=", timer[TIMER_KEY]),
	EXPRESSION("at=", timer[TIMER_AT]),
	EXPRESSION("in=", timer[TIMER_IN]),
	EXPRESSION("action=", timer[TIMER_ACTION]),
	EXPRESSION("when=", when),
	EXPRESSION("cancel_when=", cancel_when),
};

static const char known_to_timer_triggers[] =
"Known are key=, at=, in=, action=, when=, cancel_when=.";

static void read_queue(Trigger *trigger, TriggerOptions *options);
static void check_timer_options(const TriggerOptions *options);
static bool matches(const TriggerKeyword *keyword, const char *arg);
static void set_option(const TriggerKeyword *keyword, const char *arg, void *options);
static bool is_blank(const char *str);
pg_noreturn static void bad_argument(const char *arg, const char *message, const char *hint);
static bool is_column(const char *name, size_t len, TupleDesc desc);

/*
 * Reads the arguments of a trigger that makes events.  Strings are copied into
 * the current context.
 */
void
trigger_read_options(Trigger *trigger, TriggerOptions *options)
{
	read_queue(trigger, options);
	trigger_read_arguments(trigger, event_keywords, lengthof(event_keywords),
						   known_to_event_triggers, options);
}

/*
 * Reads the arguments of timertriga().
 */
void
trigger_read_timer_options(Trigger *trigger, TriggerOptions *options)
{
	read_queue(trigger, options);
	trigger_read_arguments(trigger, timer_keywords, lengthof(timer_keywords),
						   known_to_timer_triggers, options);
	check_timer_options(options);
}

static void
read_queue(Trigger *trigger, TriggerOptions *options)
{
	memset(options, 0, sizeof(TriggerOptions));
	if (trigger->tgnargs < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("pgtq trigger must have destination queue as argument"),
				 errhint("The first argument of the trigger function is the name of a queue.")));
	options->queue = pstrdup(trigger->tgargs[0]);
}

/* See _check_timer_arguments(). */
static void
check_timer_options(const TriggerOptions *options)
{
	bool		has_action = options->timer[TIMER_ACTION] != NULL;
	bool		has_at = options->timer[TIMER_AT] != NULL;
	bool		has_in = options->timer[TIMER_IN] != NULL;

	if (has_at && has_in)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("timer trigger has both at= and in="),
				 errhint("Give one of them: a time, or how long from now.")));
	if (has_action != (has_at || has_in) ||
		(!has_action && (options->cancel_when == NULL || options->when != NULL)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("timer trigger must have action= and one of at= and in="),
				 errhint("A trigger that only cancels has none of them, and no when=, but cancel_when=.")));
}

/*
 * Reads what follows the queue's name, by a table of keywords, into the struct
 * that the offsets of the table are of.
 */
void
trigger_read_arguments(Trigger *trigger, const TriggerKeyword *keywords, int nkeywords,
					   const char *known, void *options)
{
	for (int i = 1; i < trigger->tgnargs; i++)
	{
		const char *arg = trigger->tgargs[i];
		int			k = 0;

		while (k < nkeywords && !matches(&keywords[k], arg))
			k++;
		if (k == nkeywords)
			bad_argument(arg, "bad param to pgtq trigger", known);
		set_option(&keywords[k], arg, options);
	}
}

static bool
matches(const TriggerKeyword *keyword, const char *arg)
{
	if (keyword->has_text)
		return strncmp(arg, keyword->name, strlen(keyword->name)) == 0;
	return strcmp(arg, keyword->name) == 0;
}

static void
set_option(const TriggerKeyword *keyword, const char *arg, void *options)
{
	void	   *member = (char *) options + keyword->offset;
	const char *text = arg + strlen(keyword->name);

	if (!keyword->has_text)
	{
		*(bool *) member = true;
		return;
	}
	if (*(char **) member != NULL)
		bad_argument(arg, "param to pgtq trigger given twice",
					 "Give a list of columns or an expression once, with all that is in it.");
	if (keyword->is_expression && is_blank(text))
		bad_argument(arg, "bad param to pgtq trigger",
					 "After the equals sign comes an SQL expression.");
	*(char **) member = pstrdup(text);
}

static bool
is_blank(const char *str)
{
	return str[strspn(str, BLANKS)] == '\0';
}

static void
bad_argument(const char *arg, const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message),
			 errdetail("Argument: %s", arg),
			 errhint("%s", hint)));
}

/*
 * Is a column in the list of ignore= or pkey=?
 *
 * Names are separated by commas, with or without blanks around.  Blanks alone
 * separate them as well, as in PgQ, unless a column has such a name.
 */
bool
name_in_list(const char *list, const char *name, TupleDesc desc)
{
	size_t		namelen = strlen(name);

	while (list != NULL)
	{
		const char *item = list + strspn(list, BLANKS);
		size_t		len = strcspn(item, ",");

		list = (item[len] == ',') ? item + len + 1 : NULL;
		while (len > 0 && strchr(BLANKS, item[len - 1]) != NULL)
			len--;
		if (len == namelen && memcmp(item, name, len) == 0)
			return true;
		if (is_column(item, len, desc))
			continue;
		for (const char *end = item + len; item < end;)
		{
			size_t		word = Min(strcspn(item, BLANKS), (size_t) (end - item));

			if (word == namelen && memcmp(item, name, word) == 0)
				return true;
			item += word;
			item += strspn(item, BLANKS);
		}
	}
	return false;
}

static bool
is_column(const char *name, size_t len, TupleDesc desc)
{
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (!att->attisdropped && strlen(NameStr(att->attname)) == len &&
			memcmp(NameStr(att->attname), name, len) == 0)
			return true;
	}
	return false;
}
