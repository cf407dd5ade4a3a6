/*
 * src/delay/store.c
 *		The tables of the delay store, see structure/delay.sql.
 *
 * Runs in the sessions that schedule and cancel, and in that of the mover.
 * Works on tables and indexes directly, like common/queue.c.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

#include "common/event.h"
#include "common/insert.h"
#include "common/queue.h"
#include "common/wake.h"
#include "delay/store.h"

/* generations whose oids are remembered; there are 3, and seldom more */
#define REMEMBERED_GENERATIONS 16

/* the oids below are those of the catalog as we know it */
static bool remembered = false;
static bool registered = false;
static Oid	generations[REMEMBERED_GENERATIONS];
static Oid	current_sequence = InvalidOid;

static Oid	generation_oid(int n);
static void remember(void);
static void forget(Datum arg, Oid relid);

/*
 * Opens a generation; NULL if there is none of that number.  The lock is to be
 * kept until the transaction ends.
 */
Relation
store_open_generation(int n, LOCKMODE lockmode)
{
	for (;;)
	{
		Oid			relid = generation_oid(n);
		Relation	rel;

		if (!OidIsValid(relid))
			return NULL;
		rel = try_relation_open(relid, lockmode);
		if (rel != NULL)
			return rel;
	}
}

/*
 * Opens the generation that timers are scheduled into, locked for writing until
 * the transaction ends.  Lock, then check again, see _current_table().
 */
Relation
store_open_current(void)
{
	for (;;)
	{
		int64		n;
		Relation	rel;

		remember();
		n = sequence_last_value(current_sequence);
		rel = store_open_generation((int) n, RowExclusiveLock);
		if (rel == NULL)
		{
			AcceptInvalidationMessages();
			rel = store_open_generation((int) n, RowExclusiveLock);
			if (rel == NULL)
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_TABLE),
						 errmsg("table \"%s.delay_%d\" does not exist", PGTQ_SCHEMA, (int) n)));
		}
		if (sequence_last_value(current_sequence) == n)
			return rel;
		relation_close(rel, RowExclusiveLock);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Opens an index of a generation. */
Relation
store_open_index(Relation generation, StoreIndex which)
{
	static const AttrNumber due[] = {Anum_dl_due};
	static const AttrNumber txid[] = {Anum_ev_txid, Anum_dl_due};
	static const AttrNumber timer[] = {Anum_ev_timer};

	switch (which)
	{
		case STORE_BY_DUE:
			return table_open_index(generation, 1, due);
		case STORE_BY_TXID:
			return table_open_index(generation, 2, txid);
		default:
			return table_open_index(generation, 1, timer);
	}
}

/*
 * Puts rows into the current generation, under this transaction's id, and wakes
 * the ticker after commit.  The columns of one row follow those of another.
 */
void
store_insert(int nrows, Datum *values, bool *nulls)
{
	Relation	rel;
	FullTransactionId txid = GetTopFullTransactionId();
	TimestampTz earliest = DT_NOEND;

	for (int i = 0; i < nrows; i++)
	{
		values[i * Natts_delay + Anum_ev_txid - 1] = FullTransactionIdGetDatum(txid);
		nulls[i * Natts_delay + Anum_ev_txid - 1] = false;
		earliest = Min(earliest, DatumGetTimestampTz(values[i * Natts_delay + Anum_dl_due - 1]));
	}
	rel = store_open_current();
	insert_rows(rel, Natts_delay, nrows, values, nulls);
	relation_close(rel, NoLock);
	if (nrows > 0)
		wake_at(earliest);
}

static Oid
generation_oid(int n)
{
	char		name[NAMEDATALEN];
	Oid			relid;

	remember();
	if (n >= 0 && n < REMEMBERED_GENERATIONS && OidIsValid(generations[n]))
		return generations[n];
	snprintf(name, sizeof(name), "delay_%d", n);
	relid = get_relname_relid(name, get_namespace_oid(PGTQ_SCHEMA, false));
	if (n >= 0 && n < REMEMBERED_GENERATIONS && remembered)
		generations[n] = relid;
	return relid;
}

/* Forgets what is remembered if a relation has changed. */
static void
remember(void)
{
	if (!registered)
	{
		CacheRegisterRelcacheCallback(forget, (Datum) 0);
		registered = true;
	}
	if (!remembered)
	{
		memset(generations, 0, sizeof(generations));
		remembered = true;
		current_sequence = pgtq_relation("delay_cur_seq");
	}
}

static void
forget(Datum arg, Oid relid)
{
	remembered = false;
}
