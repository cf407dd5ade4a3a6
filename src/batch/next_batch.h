/*
 * src/batch/next_batch.h
 *		Opening the next batch of a consumer.
 */
#ifndef PGTQ_NEXT_BATCH_H
#define PGTQ_NEXT_BATCH_H

extern void next_batch_check_name(text *consumer_name);
extern bool next_batch_open(text *queue_name, text *consumer_name, int64 *batch);

#endif							/* PGTQ_NEXT_BATCH_H */
