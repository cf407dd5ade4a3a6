/*
 * src/common/position.h
 *		Where consumers stand: subscribers and the position log.
 */
#ifndef PGTQ_POSITION_H
#define PGTQ_POSITION_H

#include "fmgr.h"

#include "compat.h"
#include "delay/state.h"

/* the last entry of a subscriber in the position log */
typedef struct Position
{
	int32		sub_id;
	int64		n;
	int64		last_tick;
	bool		is_open;		/* has a batch, to next_tick */
	int64		batch;
	int64		next_tick;
} Position;

extern bool subscriber_find(int32 queue_id, text *consumer, bool lock, int32 *sub_id);
extern bool subscriber_find_by_id(int32 sub_id, bool lock, int32 *queue_id);
extern bool position_last(int32 sub_id, Position *position);
extern bool position_of_batch(int64 batch_id, int32 *sub_id);
extern void position_append(const Position *position);
extern void position_load_move(MoveState *state);
extern void position_append_move(const MoveState *state);
extern bool position_log_is_seen(void);
pg_noreturn extern void position_out_of_date(void);

#endif							/* PGTQ_POSITION_H */
