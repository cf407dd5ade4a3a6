/*
 * src/event/insert_event.c
 *		insert_event() and insert_event_raw().
 *
 * Runs in the session of whoever inserts.  Takes ROW EXCLUSIVE on the current
 * event table and keeps it until the transaction ends, see _current_table().
 *
 * The row is inserted without SQL: PgQ spends most of an insert on planning
 * and running two statements through three functions.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

#include "common/event.h"
#include "common/insert.h"
#include "common/queue.h"
#include "common/wake.h"

PG_FUNCTION_INFO_V1(pgtq_insert_event);
PG_FUNCTION_INFO_V1(pgtq_insert_event_raw);

/* how many events a transaction has put into a queue that has a limit */
typedef struct TxCount
{
	int32		queue_id;		/* hash key */
	FullTransactionId txid;
	int64		count;			/* too high if a savepoint was rolled back */
} TxCount;

static HTAB *tx_counts = NULL;

/*
 * The queue that the running command inserts into.  A statement that inserts
 * many events looks it up once, with the snapshot that it has anyway, and locks
 * the table once: the lock keeps it from being truncated, even if the ring
 * moves on meanwhile.  Every insert uses up its command's number, so the next
 * command has another one and looks again.  The lock goes if its subtransaction
 * is rolled back; then there is another one of these, too.
 */
typedef struct Target
{
	FullTransactionId txid;
	SubTransactionId subtransaction;
	CommandId	command;
	text	   *queue_name;		/* this and what queue has: in TopTransactionContext */
	QueueRow	queue;
	Oid			event_seq;
	Oid			table;			/* InvalidOid: not locked yet */
} Target;

static Target target;

static int64 insert_event(text *queue_name, Datum *values, bool *nulls);
static void find_target(text *queue_name);
static Relation open_target(void);
static void check_tx_limit(text *queue_name, const QueueRow *queue);
static int64 count_events_of(const QueueRow *queue, FullTransactionId txid);

/*
 * insert_event(queue_name, ev_type, ev_data [, ev_extra1 .. ev_extra4])
 */
Datum
pgtq_insert_event(PG_FUNCTION_ARGS)
{
	Datum		values[Natts_event];
	bool		nulls[Natts_event];

	memset(values, 0, sizeof(values));
	memset(nulls, true, sizeof(nulls));
	for (int arg = 1; arg < PG_NARGS(); arg++)
	{
		int			i = Anum_ev_type - 1 + (arg - 1);

		values[i] = PG_GETARG_DATUM(arg);
		nulls[i] = PG_ARGISNULL(arg);
	}
	PG_RETURN_INT64(insert_event(PG_ARGISNULL(0) ? NULL : PG_GETARG_TEXT_PP(0), values, nulls));
}

/*
 * insert_event_raw(queue_name, ev_id, ev_time, ev_owner, ev_retry,
 *					ev_type, ev_data, ev_extra1 .. ev_extra4)
 */
Datum
pgtq_insert_event_raw(PG_FUNCTION_ARGS)
{
	Datum		values[Natts_event];
	bool		nulls[Natts_event];

	memset(values, 0, sizeof(values));
	memset(nulls, true, sizeof(nulls));
	for (int arg = 1; arg < PG_NARGS(); arg++)
	{
		/* the columns are the arguments, but for ev_txid after ev_time */
		int			i = (arg < Anum_ev_txid) ? arg - 1 : arg;

		values[i] = PG_GETARG_DATUM(arg);
		nulls[i] = PG_ARGISNULL(arg);
	}
	PG_RETURN_INT64(insert_event(PG_ARGISNULL(0) ? NULL : PG_GETARG_TEXT_PP(0), values, nulls));
}

/*
 * Inserts an event; what is null of id and time is filled in.  Returns the id.
 */
static int64
insert_event(text *queue_name, Datum *values, bool *nulls)
{
	Relation	rel;
	int64		next_id;

	if (queue_name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("Queue name must not be NULL")));
	find_target(queue_name);

	/* used up by every call: it tells the ticker that there is something new */
	next_id = nextval_internal(target.event_seq, false);

	if (target.queue.disable_insert && SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("Insert into queue disallowed"),
				 errdetail("Queue: %s", text_to_cstring(queue_name))));
	if (target.queue.per_tx_limit >= 0)
		check_tx_limit(queue_name, &target.queue);

	if (nulls[Anum_ev_id - 1])
		values[Anum_ev_id - 1] = Int64GetDatum(next_id);
	if (nulls[Anum_ev_time - 1])
		values[Anum_ev_time - 1] = TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
	values[Anum_ev_txid - 1] = FullTransactionIdGetDatum(target.txid);
	nulls[Anum_ev_id - 1] = nulls[Anum_ev_time - 1] = nulls[Anum_ev_txid - 1] = false;

	rel = open_target();
	insert_row(rel, Natts_event, values, nulls);
	relation_close(rel, NoLock);
	wake_events(target.queue.queue_id);
	return DatumGetInt64(values[Anum_ev_id - 1]);
}

/*
 * Sets target to a queue, unless it is set already.
 *
 * The transaction gets its id here, before the sequence is used: so a ticker
 * that sees the event's number taken also sees its transaction running, and
 * knows what to wait for.
 */
static void
find_target(text *queue_name)
{
	MemoryContext caller;
	FullTransactionId txid = GetTopFullTransactionIdIfAny();
	CommandId	command = GetCurrentCommandId(false);
	bool		same_transaction = FullTransactionIdIsValid(txid) &&
		FullTransactionIdEquals(txid, target.txid);

	if (same_transaction && command == target.command &&
		target.subtransaction == GetCurrentSubTransactionId() &&
		VARSIZE_ANY_EXHDR(queue_name) == VARSIZE_ANY_EXHDR(target.queue_name) &&
		memcmp(VARDATA_ANY(queue_name), VARDATA_ANY(target.queue_name), VARSIZE_ANY_EXHDR(queue_name)) == 0)
		return;

	if (same_transaction)
	{
		pfree(target.queue_name);
		pfree(target.queue.data_pfx);
		pfree(target.queue.event_seq);
	}
	target.txid = InvalidFullTransactionId; /* until all is set */
	target.table = InvalidOid;

	caller = MemoryContextSwitchTo(TopTransactionContext);
	if (!queue_find(queue_name, &target.queue))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("No such queue"),
				 errdetail("Queue: %s", text_to_cstring(queue_name)),
				 errhint("Queues are made with create_queue().")));
	target.queue_name = (text *) PG_DETOAST_DATUM_COPY(PointerGetDatum(queue_name));
	MemoryContextSwitchTo(caller);
	if (!queue_adopt(&target.queue))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("Insert into queue disallowed"),
				 errdetail("The database is a copy of another one.")));

	target.event_seq = queue_event_sequence(&target.queue);
	PreventCommandDuringRecovery("pg_current_xact_id()");
	PreventCommandIfReadOnly("nextval()");
	target.subtransaction = GetCurrentSubTransactionId();
	target.command = GetCurrentCommandId(false);
	target.txid = GetTopFullTransactionId();
}

/* Opens the event table to write to. */
static Relation
open_target(void)
{
	Relation	rel;

	if (OidIsValid(target.table))
		return relation_open(target.table, NoLock);
	rel = queue_open_current(&target.queue);
	target.table = RelationGetRelid(rel);
	return rel;
}

/*
 * Counts this event against queue_per_tx_limit.
 *
 * The counter does not go down when a savepoint is rolled back.  So if it is
 * over the limit the rows are counted, which then is right for a while.
 */
static void
check_tx_limit(text *queue_name, const QueueRow *queue)
{
	FullTransactionId txid = GetTopFullTransactionId();
	TxCount    *entry;
	bool		found;

	if (tx_counts == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(int32);
		ctl.entrysize = sizeof(TxCount);
		tx_counts = hash_create("pgtq events per transaction", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(tx_counts, &queue->queue_id, HASH_ENTER, &found);
	if (!found || !FullTransactionIdEquals(entry->txid, txid))
	{
		entry->txid = txid;
		entry->count = 0;
	}
	if (entry->count >= queue->per_tx_limit)
		entry->count = count_events_of(queue, txid);
	if (entry->count >= queue->per_tx_limit)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("Queue '%s' allows max %d events from one TX",
						text_to_cstring(queue_name), queue->per_tx_limit)));
	entry->count++;
}

/* How many events of this transaction are in a queue, in all tables. */
static int64
count_events_of(const QueueRow *queue, FullTransactionId txid)
{
	int64		count = 0;
	Relation	rel;

	for (int n = 0; (rel = queue_open_table(queue->queue_id, queue->data_pfx, RING_EVENTS, n)) != NULL; n++)
	{
		Relation	index = queue_open_index(rel, Anum_ev_txid);
		ScanKeyData key;
		SysScanDesc scan;

		ScanKeyInit(&key, Anum_ev_txid, BTEqualStrategyNumber, F_XID8EQ,
					FullTransactionIdGetDatum(txid));
		scan = systable_beginscan_ordered(rel, index, SnapshotSelf, 1, &key);
		while (HeapTupleIsValid(systable_getnext_ordered(scan, ForwardScanDirection)))
			count++;
		systable_endscan_ordered(scan);
		index_close(index, AccessShareLock);
		relation_close(rel, NoLock);
	}
	return count;
}
