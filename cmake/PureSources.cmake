# SPDX-License-Identifier: GPL-3.0-or-later
# AMP_PURE_SOURCES: the library's sources that need neither OpenMP nor threads, which tests compile into themselves.

set(AMP_PURE_SOURCES
  affinity-order.c
  allotment.c
  cpulist.c
  fold-help.c
  fold-learn.c
  fold-ranges.c
  fork-lock.c
  machine-fingerprint.c
  machine-group.c
  machine-hwloc.c
  machine-sysfs.c
  machine-topology.c
  machine.c
  mask.c
  options-unknown.c
  option-table.c
  option-types.c
  options.c
  parse.c
  schedules.c
  sf-lines.c
  sf-list.c
  sf-read.c
  sf-write.c
  site-name.c
  sites.c
  temporary.c)
cmake_path(SET amp_directory NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../libgomp/amp/")
list(TRANSFORM AMP_PURE_SOURCES PREPEND "${amp_directory}")
