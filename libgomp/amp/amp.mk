# SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
# Adds the sources of libgomp/amp to upstream's build; included at the end of its Makefile.in.

vpath %.c $(top_srcdir)/amp
AM_CPPFLAGS += -I$(top_srcdir)/amp

AMP_OBJECTS = $(patsubst %.c,%.lo,$(notdir $(wildcard $(top_srcdir)/amp/*.c)))

# Without automake's dependency tracking for these, any header rebuilds them.
$(AMP_OBJECTS): $(wildcard $(top_srcdir)/amp/*.h $(top_srcdir)/amp/*.def $(top_srcdir)/amp/*.inc)

libgomp_la_LIBADD += $(AMP_OBJECTS)
libgomp.la: $(AMP_OBJECTS)
