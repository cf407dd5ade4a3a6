/*
 * src/executor/plans.c
 *		Plans of actions that are run again and again.
 *
 * Runs in a session, as its role.  A text that comes a second time gets a plan
 * that is kept, if it is one statement that has a plan.  Several statements are
 * analyzed one after the other, as each may make what the next one needs.
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

#include "executor/plans.h"

#define PLACES 256

/* longer ones are not remembered */
#define LONGEST_TEXT 8192

typedef struct Place
{
	char	   *sql;			/* NULL: free */
	bool		seen_twice;
	SPIPlanPtr	plan;			/* NULL: none */
} Place;

static Place places[PLACES];

static Place *place_of(const char *sql);
static SPIPlanPtr make_plan(const char *sql);
static void check_result(int result);

/* Runs an action; what it returns is thrown away. */
void
plans_run(const char *sql)
{
	SPIExecuteOptions options = {.dest = None_Receiver};
	Place	   *place = place_of(sql);

	SPI_connect();
	if (place != NULL && place->plan == NULL && place->seen_twice)
	{
		place->plan = make_plan(sql);
		place->seen_twice = false;	/* if there is none, do not try again at once */
	}
	if (place != NULL && place->plan != NULL)
		check_result(SPI_execute_plan_extended(place->plan, &options));
	else
		check_result(SPI_execute_extended(sql, &options));
	SPI_finish();
}

/* Where a text is remembered; NULL if it is not, or new. */
static Place *
place_of(const char *sql)
{
	size_t		length = strlen(sql);
	Place	   *place;

	if (length > LONGEST_TEXT)
		return NULL;
	place = &places[hash_bytes((const unsigned char *) sql, (int) length) % PLACES];
	if (place->sql != NULL && strcmp(place->sql, sql) == 0)
	{
		if (place->plan == NULL)
			place->seen_twice = true;
		return place;
	}
	if (place->plan != NULL)
		SPI_freeplan(place->plan);
	if (place->sql != NULL)
		pfree(place->sql);
	place->plan = NULL;
	place->seen_twice = false;
	place->sql = MemoryContextStrdup(TopMemoryContext, sql);
	return NULL;
}

/* A plan to be kept, or NULL if it is not that kind of text. */
static SPIPlanPtr
make_plan(const char *sql)
{
	List	   *statements = raw_parser(sql, RAW_PARSE_DEFAULT);
	SPIPlanPtr	plan;

	if (list_length(statements) != 1)
		return NULL;
	switch (nodeTag(linitial_node(RawStmt, statements)->stmt))
	{
		case T_InsertStmt:
		case T_UpdateStmt:
		case T_DeleteStmt:
		case T_SelectStmt:
			break;
		default:
			return NULL;
	}
	plan = SPI_prepare(sql, 0, NULL);
	if (plan != NULL)
		SPI_keepplan(plan);
	return plan;
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
