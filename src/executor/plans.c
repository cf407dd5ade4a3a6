/*
 * src/executor/plans.c
 *		Plans of actions that are run again and again, or that are due soon.
 *
 * Runs in a session, as its role.  A text that comes a second time gets a plan
 * that is kept, if it is one statement that has a plan.  Several statements are
 * analyzed one after the other, as each may make what the next one needs.
 *
 * So does a text whose moment is still to come: while the session waits for it,
 * it is parsed and analyzed, which runs no code of anybody's.  Planning does,
 * as it evaluates functions, and is left for the moment itself.
 *
 * Texts with words such as 'today' are analyzed each time; see dated.c.
 *
 * The memory of texts has a fixed number of places, chosen by hash; a new text
 * takes the place of what is there.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "tcop/dest.h"
#include "utils/memutils.h"

#include "common/dated.h"
#include "executor/plans.h"

#define PLACES 256

/* longer ones are not remembered */
#define LONGEST_TEXT 8192

typedef struct Place
{
	char	   *sql;			/* NULL: free */
	bool		is_planless;	/* it is not of that kind */
	bool		was_run;
	SPIPlanPtr	plan;			/* NULL: none */
} Place;

static Place places[PLACES];

static Place *place_of(const char *sql);
static void plan_place(Place *place);
static bool is_plannable(const char *sql);
static void check_result(int result);

/*
 * Makes the plan of an action that will be run soon, in a transaction of the
 * caller's.  What is wrong with the text is an error.
 */
void
plans_prepare(const char *sql)
{
	Place	   *place = place_of(sql);

	SPI_connect();
	if (place != NULL)
		plan_place(place);
	SPI_finish();
}

/* Runs an action; what it returns is thrown away. */
void
plans_run(const char *sql)
{
	SPIExecuteOptions options = {.dest = None_Receiver};
	Place	   *place = place_of(sql);

	SPI_connect();
	if (place != NULL && place->was_run)
		plan_place(place);
	if (place != NULL)
		place->was_run = true;
	if (place != NULL && place->plan != NULL)
		check_result(SPI_execute_plan_extended(place->plan, &options));
	else
		check_result(SPI_execute_extended(sql, &options));
	SPI_finish();
}

/* Where a text is remembered; NULL if it is not. */
static Place *
place_of(const char *sql)
{
	size_t		length = strlen(sql);
	Place	   *place;

	if (length > LONGEST_TEXT)
		return NULL;
	place = &places[hash_bytes((const unsigned char *) sql, (int) length) % PLACES];
	if (place->sql != NULL && strcmp(place->sql, sql) == 0)
		return place;
	if (place->plan != NULL)
		SPI_freeplan(place->plan);
	if (place->sql != NULL)
		pfree(place->sql);
	memset(place, 0, sizeof(Place));
	place->sql = MemoryContextStrdup(TopMemoryContext, sql);
	return place;
}

/* Gives a text a plan that is kept, if it has none and is of that kind. */
static void
plan_place(Place *place)
{
	if (place->plan != NULL || place->is_planless)
		return;
	if (!is_plannable(place->sql))
	{
		place->is_planless = true;
		return;
	}
	place->plan = SPI_prepare(place->sql, 0, NULL);
	if (place->plan != NULL)
		SPI_keepplan(place->plan);
}

/* One statement that has a plan, which is good at any time. */
static bool
is_plannable(const char *sql)
{
	List	   *statements;

	if (sql_is_dated(sql))
		return false;
	statements = raw_parser(sql, RAW_PARSE_DEFAULT);
	if (list_length(statements) != 1)
		return false;
	switch (nodeTag(linitial_node(RawStmt, statements)->stmt))
	{
		case T_InsertStmt:
		case T_UpdateStmt:
		case T_DeleteStmt:
		case T_SelectStmt:
			return true;
		default:
			return false;
	}
}

static void
check_result(int result)
{
	if (result >= 0)
		return;
	if (result == SPI_ERROR_TRANSACTION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("an action must not begin or end a transaction"),
				 errhint("It is part of one.  What needs transactions of its own is a job.")));
	if (result == SPI_ERROR_COPY)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("an action cannot COPY from or to a client")));
	elog(ERROR, "could not run the action: %s", SPI_result_code_string(result));
}
