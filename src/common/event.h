/*
 * src/common/event.h
 *		Columns of the event, delay and tick tables, see structure/.
 */
#ifndef PGTQ_EVENT_H
#define PGTQ_EVENT_H

enum
{
	Anum_ev_id = 1,
	Anum_ev_time,
	Anum_ev_txid,
	Anum_ev_owner,
	Anum_ev_retry,
	Anum_ev_type,
	Anum_ev_data,
	Anum_ev_extra1,
	Anum_ev_extra2,
	Anum_ev_extra3,
	Anum_ev_extra4,
	Anum_ev_timer,
	Anum_ev_role,
	Anum_ev_created,
	Anum_ev_attempts,
	Anum_ev_timeout,
	Anum_ev_backoff,
	Anum_ev_expires,
	Anum_ev_shard,
	Anum_ev_key,
	Anum_ev_schedule,
	Anum_ev_run,
	Natts_event = Anum_ev_run,

	/* a row of the delay store is an event and these */
	Anum_dl_queue,
	Anum_dl_due,
	Natts_delay = Anum_dl_due
};

enum
{
	Anum_tick_queue = 1,
	Anum_tick_id,
	Anum_tick_time,
	Anum_tick_snapshot,
	Anum_tick_event_seq,
	Anum_tick_horizon,
	Natts_tick = Anum_tick_horizon
};

#endif							/* PGTQ_EVENT_H */
