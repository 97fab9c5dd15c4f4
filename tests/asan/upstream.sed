# SPDX-License-Identifier: GPL-3.0-or-later
# Fixes what upstream does against the rules of C, in the copies of its sources that sanitizers' libraries are made of.

# --- team.c
# A bug: threads that a smaller team released from the pool's barrier, to end, may still be in it when the
# thread whose pool it is ends and frees it. Here it is never freed, which upstream.supp knows.
s/team_free (pool);/(void) pool;/

# --- iter.c
# Dynamic can't count a loop of more trips than a long holds; by wrapping around, one thread gets all of it.
s/long left = end - start;/long left = (unsigned long) end - start;/
s/nend = start + chunk;/nend = (unsigned long) start + chunk;/

# --- task.c, taskloop.c
# Tasks without data copy nothing from NULL, which memcpy does not allow.
s/memcpy (arg, data, arg_size);/if (arg_size != 0) &/
