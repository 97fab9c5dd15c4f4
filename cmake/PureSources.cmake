# SPDX-License-Identifier: GPL-3.0-or-later
# AMP_PURE_SOURCES: the library's sources that need neither OpenMP nor threads, which tests compile into themselves.

set(AMP_PURE_SOURCES
  base/cpulist.c
  base/fork-lock.c
  base/mask.c
  base/objects.c
  base/parse.c
  base/partition.c
  base/temporary.c
  base/width.c
  base/write-signals.c
  fold/fold-learn.c
  fold/fold-ranges.c
  loops/sf-lines.c
  loops/sf-read.c
  loops/sf-write.c
  machine/affinity-order.c
  machine/allotment.c
  machine/machine-detect.c
  machine/machine-fingerprint.c
  machine/machine-group.c
  machine/machine-hwloc.c
  machine/machine-sysfs.c
  machine/machine-topology.c
  machine/machine.c
  machine/quota.c
  options/option-table.c
  options/option-types.c
  options/options-unknown.c
  options/options.c
  options/schedules.c
  options/sf-list.c
  sites/site-name.c
  sites/sites.c)
cmake_path(SET amp_directory NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../libgomp/amp/")
list(TRANSFORM AMP_PURE_SOURCES PREPEND "${amp_directory}")
