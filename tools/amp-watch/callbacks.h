/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the callbacks and the tool's start. */
#ifndef AMP_WATCH_CALLBACKS_H
#define AMP_WATCH_CALLBACKS_H 1

#include "watch.h"

extern void set_callbacks(void);

/* A record for the calling thread, or null; and its end. */
extern struct thread *begin_thread(void);
extern void end_thread(struct thread *me);

/* A record of a region with room for IDS ids, or null. */
extern struct region *begin_region(unsigned ids);

/* Write the files if a signal has asked for that. */
extern void write_if_asked(void);

#endif
