/*
 * src/executor/plans.h
 *		Plans of actions that are run again and again.
 */
#ifndef PGTQ_PLANS_H
#define PGTQ_PLANS_H

extern void plans_prepare(const char *sql);
extern void plans_run(const char *sql);

#endif							/* PGTQ_PLANS_H */
