/*
 * src/common/queue.h
 *		Finding a queue, its sequences and the tables of its ring.
 */
#ifndef PGTQ_QUEUE_H
#define PGTQ_QUEUE_H

#include "access/genam.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

#define PGTQ_SCHEMA "pgtq"

/* a row of pgtq.queue, as far as writers need it */
typedef struct QueueRow
{
	int32		queue_id;
	char	   *data_pfx;
	char	   *event_seq;
	bool		disable_insert;
	int32		per_tx_limit;	/* -1: none */
	bool		has_executor;
	bool		is_home;		/* made in, or adopted by, this database */
} QueueRow;

/* which of a ring's two kinds of tables */
typedef enum RingKind
{
	RING_EVENTS,
	RING_TICKS
} RingKind;

extern bool queue_find(text *name, QueueRow *row);
extern bool queue_find_by_id(int32 queue_id, QueueRow *row);
extern Oid	queue_event_sequence(const QueueRow *queue);
extern Relation queue_open_current(const QueueRow *queue);
extern Relation queue_open_table(int32 queue_id, const char *data_pfx, RingKind kind, int n);
extern Relation queue_open_index(Relation table, AttrNumber column);
extern Relation table_open_index(Relation table, int ncolumns, const AttrNumber *columns);
extern Oid	queue_relation(const char *prefix, const char *suffix);
extern int64 queue_current_number(const QueueRow *queue);
extern bool queue_adopt(QueueRow *queue);
extern Oid	pgtq_relation(const char *name);
extern int64 sequence_last_value(Oid seqid);
extern int64 sequence_used_value(Oid seqid);

#endif							/* PGTQ_QUEUE_H */
