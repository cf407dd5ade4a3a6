/*
 * src/ticker/utility.h
 *		Commands that concern the workers.
 */
#ifndef PGTQ_UTILITY_H
#define PGTQ_UTILITY_H

extern void utility_hook_install(void);

#endif							/* PGTQ_UTILITY_H */
