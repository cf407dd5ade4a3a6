/*
 * src/triggers/trigger.h
 *		What the trigger functions have in common.
 *
 * The data's way through the files: options.c reads the arguments of CREATE
 * TRIGGER, info.c remembers them with the table's columns (columns.c), event.c
 * makes an event of a row, in the words of a format (jsontriga.c, logutriga.c,
 * sqltriga.c, all with encode.c), or timertriga.c a timer; expression.c evaluates
 * what the owner of the trigger has written in SQL.
 */
#ifndef PGTQ_TRIGGER_H
#define PGTQ_TRIGGER_H

#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"

#include "compat.h"

/* fields of an event that an expression or a magic column can set */
typedef enum EventField
{
	FIELD_TYPE,
	FIELD_DATA,
	FIELD_EXTRA1,
	FIELD_EXTRA2,
	FIELD_EXTRA3,
	FIELD_EXTRA4,
	N_FIELDS
} EventField;

#define NO_FIELD (-1)
#define BAD_FIELD N_FIELDS

/* what an expression of timertriga() can set */
typedef enum TimerField
{
	TIMER_KEY,
	TIMER_AT,
	TIMER_IN,
	TIMER_ACTION,
	N_TIMER_FIELDS
} TimerField;

/*
 * The arguments of a trigger, read; strings are NULL where not given.  The
 * trigger functions that make events know some, timertriga() others.
 */
typedef struct TriggerOptions
{
	char	   *queue;
	bool		skip;
	bool		backup;
	bool		deny;
	char	   *ignore;
	char	   *pkey;
	char	   *when;
	char	   *fields[N_FIELDS];
	char	   *timer[N_TIMER_FIELDS];
	char	   *cancel_when;
} TriggerOptions;

/* an argument that stands alone, or ends in = and is followed by a text */
typedef struct TriggerKeyword
{
	const char *name;
	size_t		offset;			/* of the member that it sets: bool or char * */
	bool		has_text;
	bool		is_expression;	/* so the text must not be empty */
} TriggerKeyword;

/* how a value looks in JSON; all others are strings */
typedef enum JsonKind
{
	JSON_STRING,
	JSON_BOOLEAN,
	JSON_INT2,
	JSON_INT4,
	JSON_INT8,
	JSON_DATETIME
} JsonKind;

typedef struct TriggerColumn
{
	int			index;			/* in the TupleDesc */
	bool		pkey;
	bool		ignored;		/* by ignore= */
	int			magic;			/* the field that it sets, NO_FIELD or BAD_FIELD */
	bool		generated;
	Oid			type;
	Oid			collation;
	int16		typlen;
	bool		typbyval;
	bool		compare_text;	/* by what it looks like, not by an operator */
	JsonKind	json;
	FmgrInfo	output;
	char	   *label;			/* its name as the format writes it */
	char	   *backup_label;
} TriggerColumn;

/* an SQL expression list, prepared when it is first needed */
typedef struct Expression
{
	SPIPlanPtr	plan;
	int			n;
	const char *sql[N_FIELDS];
	const char *type[N_FIELDS]; /* what each is cast to; NULL: any, wanted as text */
	int			target[N_FIELDS];	/* which field each one sets */
} Expression;

struct TriggerFormat;

/*
 * A trigger and its table, as long as neither changes.  Lives in a context of
 * its own, which is deleted when it is stale and nobody uses it.
 */
typedef struct TriggerInfo
{
	Oid			trigger;
	Oid			relid;
	bool		complete;		/* an error may have stopped its making */
	bool		stale;			/* set by invalidations, at any time */
	int			users;			/* calls that are under way, one inside the other */
	MemoryContext context;
	TriggerOptions options;
	text	   *queue;
	char	   *table_name;		/* schema.table */
	char	   *type_tail;		/* what the format adds to the operation in ev_type */
	List	   *pkey;			/* numbers of the primary key's columns, in its order */
	bool		has_pkey;
	bool		has_magic;
	int			natts;
	int			ncolumns;
	TriggerColumn *columns;		/* without the dropped ones */
	Expression	when;
	Expression	fields;

	/* of timertriga() only */
	Expression	cancel_when;
	Expression	key;			/* key= alone, to cancel */
	Expression	timer;			/* key= and the rest, to schedule */
	Oid			key_table;		/* the table, or the root of its partitions */
	char	   *key_prefix;		/* how a key begins that is made of the primary key */
} TriggerInfo;

/* one call of a trigger function */
typedef struct TriggerCall
{
	TriggerData *tg;
	TriggerInfo *info;
	const struct TriggerFormat *format;
	TupleDesc	desc;
	const char *op;				/* INSERT, UPDATE, DELETE or TRUNCATE */
	HeapTuple	row;			/* new, or old for DELETE, NULL for TRUNCATE */
	HeapTuple	old;			/* for UPDATE */
	Datum	   *values;			/* of row */
	bool	   *nulls;
	Datum	   *old_values;
	bool	   *old_nulls;
} TriggerCall;

/* what differs between the trigger functions */
typedef struct TriggerFormat
{
	void		(*read_options) (Trigger *trigger, TriggerOptions *options);
	/* works out what else is to be remembered; may be NULL */
	void		(*prepare) (TriggerInfo *info, Relation rel);
	/* does what the trigger is there for */
	void		(*handle) (TriggerCall *call);
	char	   *(*make_label) (const char *column);
	char	   *(*make_backup_label) (const char *column);
	char	   *(*make_type_tail) (Relation rel, const char *pkey_option, List *pkey);

	/* for events only */
	void		(*write_type) (TriggerCall *call, StringInfo buf);
	/* returns false if there is nothing to tell */
	bool		(*write_data) (TriggerCall *call, StringInfo buf);
	void		(*write_backup) (TriggerCall *call, StringInfo buf);
} TriggerFormat;

/* options.c */
extern void trigger_read_options(Trigger *trigger, TriggerOptions *options);
extern void trigger_read_timer_options(Trigger *trigger, TriggerOptions *options);
extern void trigger_read_arguments(Trigger *trigger, const TriggerKeyword *keywords, int nkeywords,
								   const char *known, void *options);
extern bool name_in_list(const char *list, const char *name, TupleDesc desc);

/* info.c */
extern TriggerInfo *trigger_info_acquire(TriggerData *tg, const TriggerFormat *format);
extern void trigger_info_release(TriggerInfo *info);

/* columns.c */
extern void trigger_make_columns(TriggerInfo *info, Relation rel, const TriggerFormat *format);
extern char *column_text(TriggerColumn *column, Datum value);
extern bool column_changed(TriggerCall *call, TriggerColumn *column);
extern bool is_worth_an_event(TriggerCall *call);

/* encode.c */
extern void append_json_value(StringInfo buf, TriggerColumn *column, Datum value, bool isnull);
extern void append_url(StringInfo buf, const char *str);
extern void append_url_row(StringInfo buf, TriggerCall *call, const Datum *values, const bool *nulls, bool backup);
extern char *url_label(const char *column);

/* expression.c */
extern bool evaluate_condition(TriggerCall *call, Expression *expression, const char *name);
extern void evaluate_fields(TriggerCall *call, Expression *expression, Datum *fields, bool *nulls);
extern void expression_free(Expression *expression);

/* event.c */
extern Datum trigger_run(FunctionCallInfo fcinfo, const TriggerFormat *format);
extern void trigger_make_event(TriggerCall *call);
extern void trigger_read_rows(TriggerCall *call);
extern char operation_letter(TriggerCall *call);
pg_noreturn extern void trigger_no_pkey(void);
pg_noreturn extern void trigger_pkey_changed(void);

#endif							/* PGTQ_TRIGGER_H */
