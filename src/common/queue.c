/*
 * src/common/queue.c
 *		Finding a queue, its sequences and the tables of its ring.
 *
 * Runs in the sessions that write and read events.  It works on tables and
 * indexes directly: there is nothing to plan, no setting of the session has a
 * say, and no privilege but EXECUTE on the function is asked for.
 *
 * Oids are remembered per queue, as long as no relation changes.  What is
 * remembered may be stale all the same until the next lock is taken, so
 * whoever opens a table locks it by its oid and looks whether it is there.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "common/call.h"
#include "common/queue.h"
#include "common/snapshot.h"

/* tables of a ring whose oids are remembered; there are 3, and seldom more */
#define REMEMBERED_TABLES 8

/* columns of pgtq.queue */
enum
{
	Anum_queue_id = 1,
	Anum_queue_name = 2,
	Anum_queue_disable_insert = 10,
	Anum_queue_per_tx_limit = 15,
	Anum_queue_data_pfx = 16,
	Anum_queue_event_seq = 17,
	Anum_queue_executor = 21,
	Anum_queue_home = 22
};

typedef struct QueueOids
{
	int32		queue_id;		/* hash key */
	char		data_pfx[NAMEDATALEN * 2];	/* the name that the oids are of */
	Oid			event_seq;
	Oid			cur_seq;
	Oid			events[REMEMBERED_TABLES];
	Oid			ticks[REMEMBERED_TABLES];
} QueueOids;

PG_FUNCTION_INFO_V1(pgtq_home);

static HTAB *queue_oids = NULL;
static bool queue_oids_valid = false;
static Oid	queue_table = InvalidOid;
static Oid	queue_id_index = InvalidOid;
static Oid	queue_name_index = InvalidOid;

static void queue_init(void);
static void forget_oids(Datum arg, Oid relid);
static QueueOids *remembered(int32 queue_id, const char *data_pfx);
static int64 read_sequence(Oid seqid, bool *is_called);
static Oid	table_oid(int32 queue_id, const char *data_pfx, RingKind kind, int n);
static Oid	current_sequence(const QueueRow *queue);
static void check_relkind(Relation rel, char relkind);
static const char *home_name(void);
static bool is_home(text *home);
static bool find_with_snapshot(text *name, QueueRow *row, Snapshot snapshot);
static bool read_queue(Oid index, ScanKey key, QueueRow *row, Snapshot snapshot);

/*
 * Finds a queue by name.  Looks with the snapshot of the running statement; if
 * the queue is not there, once more with a new one, for a queue that this
 * very statement has created.
 */
bool
queue_find(text *name, QueueRow *row)
{
	bool		found;

	queue_init();
	if (find_with_snapshot(name, row, GetActiveSnapshot()))
		return true;

	command_snapshot();
	found = find_with_snapshot(name, row, GetActiveSnapshot());
	PopActiveSnapshot();
	return found;
}

static bool
find_with_snapshot(text *name, QueueRow *row, Snapshot snapshot)
{
	ScanKeyData key;

	ScanKeyEntryInitialize(&key, 0, Anum_queue_name, BTEqualStrategyNumber,
						   InvalidOid, DEFAULT_COLLATION_OID, F_TEXTEQ,
						   PointerGetDatum(name));
	return read_queue(queue_name_index, &key, row, snapshot);
}

/* Finds a queue by its id. */
bool
queue_find_by_id(int32 queue_id, QueueRow *row)
{
	ScanKeyData key;

	queue_init();
	ScanKeyInit(&key, Anum_queue_id, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(queue_id));
	return read_queue(queue_id_index, &key, row, GetActiveSnapshot());
}

static bool
read_queue(Oid index, ScanKey key, QueueRow *row, Snapshot snapshot)
{
	Relation	rel = table_open(queue_table, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, index, true, snapshot, 1, key);
	HeapTuple	tuple = systable_getnext(scan);
	bool		found = HeapTupleIsValid(tuple);

	if (found)
	{
		TupleDesc	desc = RelationGetDescr(rel);
		Datum		limit;
		bool		isnull;

		row->queue_id = DatumGetInt32(heap_getattr(tuple, Anum_queue_id, desc, &isnull));
		row->disable_insert = DatumGetBool(heap_getattr(tuple, Anum_queue_disable_insert, desc, &isnull));
		limit = heap_getattr(tuple, Anum_queue_per_tx_limit, desc, &isnull);
		row->per_tx_limit = isnull ? -1 : DatumGetInt32(limit);
		row->data_pfx = TextDatumGetCString(heap_getattr(tuple, Anum_queue_data_pfx, desc, &isnull));
		row->event_seq = TextDatumGetCString(heap_getattr(tuple, Anum_queue_event_seq, desc, &isnull));
		(void) heap_getattr(tuple, Anum_queue_executor, desc, &isnull);
		row->has_executor = !isnull;
		row->is_home = is_home(DatumGetTextPP(heap_getattr(tuple, Anum_queue_home, desc, &isnull)));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

/*
 * _home()
 */
Datum
pgtq_home(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(home_name()));
}

/* Which database this is, of all there are. */
static const char *
home_name(void)
{
	static char name[64] = "";

	if (name[0] == '\0')
		snprintf(name, sizeof(name), UINT64_FORMAT ":%u", GetSystemIdentifier(), MyDatabaseId);
	return name;
}

static bool
is_home(text *home)
{
	const char *name = home_name();

	return VARSIZE_ANY_EXHDR(home) == strlen(name) &&
		memcmp(VARDATA_ANY(home), name, strlen(name)) == 0;
}

/*
 * For a queue that comes from another database: adopts it, unless that is not
 * wanted; then it returns false.
 */
bool
queue_adopt(QueueRow *queue)
{
	bool		isnull;

	if (!queue->is_home)
	{
		Datum		adopted = call_as_owner("_adopt_clone", 0, NULL, NULL, NULL, true, sizeof(bool), &isnull);

		queue->is_home = !isnull && DatumGetBool(adopted);
	}
	return queue->is_home;
}

/* The sequence of a queue's event ids. */
Oid
queue_event_sequence(const QueueRow *queue)
{
	QueueOids  *oids = remembered(queue->queue_id, queue->data_pfx);
	Oid			seqid = oids->event_seq;

	if (!OidIsValid(seqid))
	{
		seqid = queue_relation(queue->event_seq, "");
		if (!OidIsValid(seqid))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("sequence \"%s\" does not exist", queue->event_seq)));
		oids->event_seq = seqid;
	}
	return seqid;
}

/*
 * Opens the event table that is written to now, locked for writing until the
 * transaction ends.
 *
 * Writers lock, then check again, see _current_table().  A table that was
 * added to the ring a moment ago, or dropped from it, is looked up anew.
 */
Relation
queue_open_current(const QueueRow *queue)
{
	for (;;)
	{
		Oid			seqid = current_sequence(queue);
		int64		n = sequence_last_value(seqid);
		Oid			relid = table_oid(queue->queue_id, queue->data_pfx, RING_EVENTS, n);

		if (!OidIsValid(relid))
		{
			AcceptInvalidationMessages();
			relid = table_oid(queue->queue_id, queue->data_pfx, RING_EVENTS, n);
			if (!OidIsValid(relid))
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_TABLE),
						 errmsg("event table \"%s_%d\" does not exist", queue->data_pfx, (int) n)));
		}
		LockRelationOid(relid, RowExclusiveLock);
		if (sequence_last_value(seqid) == n)
		{
			Relation	rel = try_relation_open(relid, NoLock);

			if (rel != NULL)
			{
				check_relkind(rel, RELKIND_RELATION);
				return rel;
			}
		}
		UnlockRelationOid(relid, RowExclusiveLock);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Opens table n of a queue's ring for reading; NULL if the ring has no such
 * table.  The prefix is for events only.  The lock is kept until the transaction ends: while it is held
 * nothing that was read from the table can be truncated, nor its TOAST values.
 */
Relation
queue_open_table(int32 queue_id, const char *data_pfx, RingKind kind, int n)
{
	for (;;)
	{
		Oid			relid;
		Relation	rel;

		queue_init();
		relid = table_oid(queue_id, data_pfx, kind, n);
		if (!OidIsValid(relid))
			return NULL;
		rel = try_relation_open(relid, AccessShareLock);
		if (rel != NULL)
		{
			check_relkind(rel, RELKIND_RELATION);
			return rel;
		}
	}
}

/* Opens the index of a table whose only column is this one. */
Relation
queue_open_index(Relation table, AttrNumber column)
{
	return table_open_index(table, 1, &column);
}

/* Opens the index of a table that has just these columns, and all rows. */
Relation
table_open_index(Relation table, int ncolumns, const AttrNumber *columns)
{
	List	   *indexes = RelationGetIndexList(table);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (index->rd_rel->relam == BTREE_AM_OID &&
			index->rd_index->indisvalid &&
			index->rd_index->indnatts == ncolumns &&
			memcmp(index->rd_index->indkey.values, columns, ncolumns * sizeof(AttrNumber)) == 0 &&
			RelationGetIndexPredicate(index) == NIL)
		{
			list_free(indexes);
			return index;
		}
		index_close(index, AccessShareLock);
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("table \"%s\" has no index on column %d",
					RelationGetRelationName(table), columns[0]),
			 errhint("Indexes of pgtq's tables must not be dropped.")));
	return NULL;				/* not reached */
}

/* The oid of a relation of ours that is always there. */
Oid
pgtq_relation(const char *name)
{
	Oid			relid = get_relname_relid(name, get_namespace_oid(PGTQ_SCHEMA, false));

	if (!OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation \"%s.%s\" does not exist", PGTQ_SCHEMA, name)));
	return relid;
}

/* Prepares the memory of oids; empties it if a relation has changed. */
static void
queue_init(void)
{
	if (queue_oids == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(int32);
		ctl.entrysize = sizeof(QueueOids);
		queue_oids = hash_create("pgtq queues", 16, &ctl, HASH_ELEM | HASH_BLOBS);
		CacheRegisterRelcacheCallback(forget_oids, (Datum) 0);
	}
	if (!queue_oids_valid)
	{
		HASH_SEQ_STATUS seq;
		QueueOids  *entry;

		hash_seq_init(&seq, queue_oids);
		while ((entry = hash_seq_search(&seq)) != NULL)
			hash_search(queue_oids, &entry->queue_id, HASH_REMOVE, NULL);

		queue_oids_valid = true;
		queue_table = pgtq_relation("queue");
		queue_id_index = pgtq_relation("queue_pkey");
		queue_name_index = pgtq_relation("queue_name_uq");
	}
}

/* A relation has changed: whatever it was, look everything up again. */
static void
forget_oids(Datum arg, Oid relid)
{
	queue_oids_valid = false;
}

/*
 * The memory of one queue.  It is empty if it is new or was of another prefix
 * (a NULL prefix, for what does not depend on it, is any).
 */
static QueueOids *
remembered(int32 queue_id, const char *data_pfx)
{
	QueueOids  *oids;
	bool		found;

	queue_init();
	oids = hash_search(queue_oids, &queue_id, HASH_ENTER, &found);
	if (!found || (data_pfx != NULL && strcmp(oids->data_pfx, data_pfx) != 0))
	{
		memset(oids, 0, sizeof(QueueOids));
		oids->queue_id = queue_id;
		if (data_pfx != NULL)
			strlcpy(oids->data_pfx, data_pfx, sizeof(oids->data_pfx));
	}
	return oids;
}

/*
 * The oid of a relation whose name is prefix + suffix, or InvalidOid.  The
 * first dot separates the schema, as in quote_fqname().
 */
Oid
queue_relation(const char *prefix, const char *suffix)
{
	const char *dot = strchr(prefix, '.');
	char	   *schema = dot ? pnstrdup(prefix, dot - prefix) : pstrdup("public");
	char	   *name = psprintf("%s%s", dot ? dot + 1 : prefix, suffix);
	Oid			nspid = get_namespace_oid(schema, true);
	Oid			relid = OidIsValid(nspid) ? get_relname_relid(name, nspid) : InvalidOid;

	pfree(schema);
	pfree(name);
	return relid;
}

static Oid
current_sequence(const QueueRow *queue)
{
	QueueOids  *oids = remembered(queue->queue_id, queue->data_pfx);
	Oid			seqid = oids->cur_seq;

	if (!OidIsValid(seqid))
	{
		seqid = queue_relation(queue->data_pfx, "_cur_seq");
		if (!OidIsValid(seqid))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("sequence \"%s_cur_seq\" does not exist", queue->data_pfx)));
		oids->cur_seq = seqid;
	}
	return seqid;
}

static Oid
table_oid(int32 queue_id, const char *data_pfx, RingKind kind, int n)
{
	QueueOids  *oids = remembered(queue_id, data_pfx);
	Oid		   *slot = NULL;
	Oid			relid;
	char		suffix[64];

	if (n >= 0 && n < REMEMBERED_TABLES)
	{
		slot = (kind == RING_EVENTS) ? &oids->events[n] : &oids->ticks[n];
		if (OidIsValid(*slot))
			return *slot;
	}
	if (kind == RING_EVENTS)
	{
		snprintf(suffix, sizeof(suffix), "_%d", n);
		relid = queue_relation(data_pfx, suffix);
	}
	else
	{
		snprintf(suffix, sizeof(suffix), "_%d_%d", queue_id, n);
		relid = queue_relation(PGTQ_SCHEMA ".tick", suffix);
	}
	if (slot != NULL && queue_oids_valid)
		*slot = relid;
	return relid;
}

/* We are about to look at pages: better be sure that it has any, of the right kind. */
static void
check_relkind(Relation rel, char relkind)
{
	if (rel->rd_rel->relkind != relkind)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a %s", RelationGetRelationName(rel),
						relkind == RELKIND_SEQUENCE ? "sequence" : "table")));
}

/* The number of the tables of the ring that are written to now. */
int64
queue_current_number(const QueueRow *queue)
{
	return sequence_last_value(current_sequence(queue));
}

/*
 * A sequence's last_value as it is now, whatever our snapshot.  (The SQL
 * function pg_sequence_last_value() would want privileges of the caller.)
 */
int64
sequence_last_value(Oid seqid)
{
	bool		is_called;

	return read_sequence(seqid, &is_called);
}

/* The same, but 0 if no value was given out yet. */
int64
sequence_used_value(Oid seqid)
{
	bool		is_called;
	int64		value = read_sequence(seqid, &is_called);

	return is_called ? value : 0;
}

static int64
read_sequence(Oid seqid, bool *is_called)
{
	Relation	rel = relation_open(seqid, AccessShareLock);
	Buffer		buffer;
	Page		page;
	HeapTupleData tuple;
	int64		value;

	check_relkind(rel, RELKIND_SEQUENCE);
	buffer = ReadBuffer(rel, 0);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	tuple.t_data = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));
	value = ((Form_pg_sequence_data) GETSTRUCT(&tuple))->last_value;
	*is_called = ((Form_pg_sequence_data) GETSTRUCT(&tuple))->is_called;
	UnlockReleaseBuffer(buffer);
	relation_close(rel, AccessShareLock);
	return value;
}
