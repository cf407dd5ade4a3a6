/*
 * src/delay/move_due.h
 *		What the ticker tells the mover.
 */
#ifndef PGTQ_MOVE_DUE_H
#define PGTQ_MOVE_DUE_H

extern void move_due_ahead(int64 ahead);

#endif							/* PGTQ_MOVE_DUE_H */
