# SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
# Adds the sources of libgomp/amp to upstream's build. Included at the end of its Makefile.in.
#
# AMP_VIRTUAL=1 builds the lab's library. It also has the sources of virtual/, whose config/ replaces
# that of the operating system (config_path on make's command line). A source of virtual/ replaces the
# one of amp/ that has its name.

amp_rooms = base options machine sites loops fold tasks ompt show forward up

ifdef AMP_VIRTUAL
vpath %.c $(top_srcdir)/amp/virtual
endif
vpath %.c $(top_srcdir)/amp $(addprefix $(top_srcdir)/amp/, $(amp_rooms))
AM_CPPFLAGS += -I$(top_srcdir)/amp

amp_sources = $(wildcard $(top_srcdir)/amp/*.c $(patsubst %, $(top_srcdir)/amp/%/*.c, $(amp_rooms)))
amp_headers = $(wildcard $(foreach pattern, *.h *.def *.inc, $(top_srcdir)/amp/$(pattern) \
  $(patsubst %, $(top_srcdir)/amp/%/$(pattern), $(amp_rooms)))) \
  $(wildcard $(top_srcdir)/amp/ompt/entries/*.h)

ifdef AMP_VIRTUAL
AM_CPPFLAGS += -DGOMP_AMP_VIRTUAL
# The lab's library counts its work by the plugin AMP_PLUGIN, but for the code that simulates.
ifdef AMP_PLUGIN
amp_count = -fplugin=$(AMP_PLUGIN) -fplugin-arg-amproute-route=none -fplugin-arg-amproute-count=work
AM_CFLAGS += $(amp_count)
$(patsubst %.c,%.lo,$(notdir $(wildcard $(top_srcdir)/amp/virtual/*.c))): amp_count =
endif
amp_sources += $(wildcard $(top_srcdir)/amp/virtual/*.c)
amp_headers += $(wildcard $(top_srcdir)/amp/virtual/*.h $(top_srcdir)/amp/virtual/*.def)
endif

# Upstream's files whose entry points have a tool's hooks: see ompt/entries/entry.h.
amp_hooked = atomic barrier critical lock loop loop_ull ordered parallel scope sections single task
$(amp_hooked:=.lo): AM_CPPFLAGS += -DGOMP_AMP_ENTRIES='"ompt/entries/$(@:.lo=.h)"'

AMP_OBJECTS = $(sort $(patsubst %.c,%.lo,$(notdir $(amp_sources))))

# What the base lacks of forward.def, for the sources of forward/ and for the linker.
forward = $(top_srcdir)/amp/forward
amp.ver: libgomp.ver $(forward)/forward.def $(forward)/forward.awk
	$(AWK) -v lacks=forward-lacks.h -f $(forward)/forward.awk $(forward)/forward.def libgomp.ver \
	  > $@ || (rm -f $@; exit 1)
libgomp_version_script = -Wl,--version-script,amp.ver

# automake does not track the dependencies of these; any header rebuilds them.
$(AMP_OBJECTS): $(amp_headers) amp.ver
$(AMP_OBJECTS) $(libgomp_la_OBJECTS): $(AMP_PLUGIN)

libgomp_la_LIBADD += $(AMP_OBJECTS)
# A plugin's dlclose must not unmap the code in which the threads of a pool wait.
libgomp_la_LDFLAGS += -Wl,-z,nodelete
libgomp.la: $(AMP_OBJECTS) amp.ver
