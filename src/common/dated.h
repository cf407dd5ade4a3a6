/*
 * src/common/dated.h
 *		SQL whose meaning depends on when it is read.
 */
#ifndef PGTQ_DATED_H
#define PGTQ_DATED_H

extern bool sql_is_dated(const char *sql);

#endif							/* PGTQ_DATED_H */
