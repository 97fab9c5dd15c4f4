# SPDX-License-Identifier: GPL-3.0-or-later
# Finds the GCC source package to patch, of the major version that a patch queue is for.
#
# Input:  AMP_GCC_SOURCE (cache): a tarball or an unpacked source directory; empty = the
#         distribution's package gcc-<major>-source
# Output: GCC_SOURCE, GCC_SOURCE_MAJOR

set(GCC_SOURCE_MAJOR 12)
set(AMP_GCC_SOURCE "" CACHE PATH "GCC source tarball or directory (default: package gcc-${GCC_SOURCE_MAJOR}-source)")

if(AMP_GCC_SOURCE)
  set(GCC_SOURCE "${AMP_GCC_SOURCE}")
  if(NOT EXISTS "${GCC_SOURCE}")
    message(FATAL_ERROR "AMP_GCC_SOURCE is ${GCC_SOURCE}, which does not exist. "
      "It has to be a tarball or a directory of GCC ${GCC_SOURCE_MAJOR}'s source.")
  endif()
else()
  file(GLOB GCC_SOURCE "/usr/src/gcc-${GCC_SOURCE_MAJOR}/gcc-${GCC_SOURCE_MAJOR}.*.tar.*")
  list(LENGTH GCC_SOURCE found)
  if(NOT found EQUAL 1)
    message(FATAL_ERROR "GCC's source is missing. Install the package gcc-${GCC_SOURCE_MAJOR}-source "
      "(apt-get install gcc-${GCC_SOURCE_MAJOR}-source), or give a tarball or directory with "
      "-DAMP_GCC_SOURCE=PATH.")
  endif()
endif()
