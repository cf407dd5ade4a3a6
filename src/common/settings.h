/*
 * src/common/settings.h
 *		Settings of the server, defined in pgtq.c.
 */
#ifndef PGTQ_SETTINGS_H
#define PGTQ_SETTINGS_H

extern bool pgtq_enabled;
extern char *pgtq_databases;
extern int	pgtq_launcher_interval;
extern int	pgtq_maintenance_interval;
extern int	pgtq_move_limit;
extern bool pgtq_notify_ticks;

#endif							/* PGTQ_SETTINGS_H */
