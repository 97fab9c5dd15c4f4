# SPDX-License-Identifier: GPL-3.0-or-later
# Finds the GCC sources to patch: libgomp's of one major version, and the compilers' of the one that
# their patches are for.
#
# Input:  AMP_LIBGOMP_MAJOR (cache): which queue of libgomp/patches is built; empty = the default
#         AMP_GCC_SOURCE (cache): that major's source, a tarball or an unpacked directory; empty =
#         the package that the queue's source.conf names
# Output: AMP_LIBGOMP_SOURCE, AMP_COMPILER_SOURCE, AMP_COMPILER_MAJOR
#         AMP_LIBGOMP_MAJOR: never empty
#         AMP_LIBGOMP_DEFAULT: the major that is built unless another one is chosen

set(AMP_COMPILER_MAJOR 12)
set(AMP_LIBGOMP_DEFAULT 14)
set(AMP_LIBGOMP_MAJOR "" CACHE STRING
  "Major version of the GCC whose libgomp is built: a queue of libgomp/patches (default: \
${AMP_LIBGOMP_DEFAULT}, or ${AMP_COMPILER_MAJOR} where its source is missing)")
set(AMP_GCC_SOURCE "" CACHE PATH
  "Source tarball or directory of GCC AMP_LIBGOMP_MAJOR (default: its queue's package)")

# amp_gcc_source_setting(<major> <setting> <result>): what the queue of <major> has for <setting> in
# its source.conf.
function(amp_gcc_source_setting major setting result)
  set(conf "${PROJECT_SOURCE_DIR}/libgomp/patches/gcc-${major}/source.conf")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${conf}")
  file(STRINGS "${conf}" line REGEX "^${setting}=")
  if(NOT line)
    message(FATAL_ERROR "${conf} has no line ${setting}=VALUE.")
  endif()
  string(REGEX REPLACE "^[^=]*=" "" value "${line}")
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

# amp_find_gcc_source(<major> <result>): the tarball of <major>'s source; empty if it is not
# installed. scripts/install-deps puts one that is of another Debian release below /usr/local.
function(amp_find_gcc_source major result)
  amp_gcc_source_setting(${major} tarball tarball)
  set(${result} "" PARENT_SCOPE)
  foreach(directory /usr/local/src /usr/src)
    file(GLOB found "${directory}/${tarball}")
    list(LENGTH found count)
    if(count EQUAL 1)
      set(${result} "${found}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# amp_gcc_source_moved(<major> <source> <result>): the release that the tarball <source> is of, if its
# name says another one than the queue of <major> is for; otherwise empty. Packages of a Debian release
# that is still being made move on.
function(amp_gcc_source_moved major source result)
  amp_gcc_source_setting(${major} version version)
  set(${result} "" PARENT_SCOPE)
  if(source MATCHES "/gcc-([0-9.]+[0-9])[^/]*$" AND NOT CMAKE_MATCH_1 STREQUAL version)
    set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

# The same as amp_find_gcc_source; the build ends without it.
function(amp_require_gcc_source major result)
  amp_find_gcc_source(${major} source)
  if(NOT source)
    amp_gcc_source_setting(${major} package package)
    message(FATAL_ERROR "The source of GCC ${major} is missing. Install the package ${package} "
      "(scripts/install-deps --full gets that of each major), or give a tarball or directory of GCC "
      "${AMP_LIBGOMP_MAJOR} with -DAMP_GCC_SOURCE=PATH.")
  endif()
  set(${result} "${source}" PARENT_SCOPE)
endfunction()

# The newest queue whose source every system can be expected to get. A program of a newer GCC may need
# symbols that an older library lacks.
if(NOT AMP_GCC_SOURCE)
  amp_find_gcc_source(${AMP_LIBGOMP_DEFAULT} source)
  if(NOT source)
    if(NOT AMP_LIBGOMP_MAJOR)
      amp_gcc_source_setting(${AMP_LIBGOMP_DEFAULT} package package)
      amp_gcc_source_setting(${AMP_LIBGOMP_DEFAULT} release release)
      message(WARNING "The source of GCC ${AMP_LIBGOMP_DEFAULT} is missing: the package ${package} "
        "is not installed, and scripts/install-deps did not get it from Debian's ${release}. "
        "GCC ${AMP_COMPILER_MAJOR}'s libgomp is built instead.")
    endif()
    set(AMP_LIBGOMP_DEFAULT ${AMP_COMPILER_MAJOR})
  endif()
endif()
if(NOT AMP_LIBGOMP_MAJOR)
  set(AMP_LIBGOMP_MAJOR ${AMP_LIBGOMP_DEFAULT})
endif()
if(NOT EXISTS "${PROJECT_SOURCE_DIR}/libgomp/patches/gcc-${AMP_LIBGOMP_MAJOR}/series")
  file(GLOB queues RELATIVE "${PROJECT_SOURCE_DIR}/libgomp/patches"
    "${PROJECT_SOURCE_DIR}/libgomp/patches/gcc-*")
  list(TRANSFORM queues REPLACE "^gcc-" "")
  list(JOIN queues ", " queues)
  message(FATAL_ERROR "AMP_LIBGOMP_MAJOR: '${AMP_LIBGOMP_MAJOR}': expected a major version that "
    "libgomp/patches has a queue for: ${queues}; nothing is built.")
endif()

if(AMP_GCC_SOURCE)
  set(AMP_LIBGOMP_SOURCE "${AMP_GCC_SOURCE}")
  if(NOT EXISTS "${AMP_LIBGOMP_SOURCE}")
    message(FATAL_ERROR "AMP_GCC_SOURCE is ${AMP_GCC_SOURCE}, which does not exist. "
      "It has to be a tarball or a directory of GCC ${AMP_LIBGOMP_MAJOR}'s source.")
  endif()
else()
  amp_require_gcc_source(${AMP_LIBGOMP_MAJOR} AMP_LIBGOMP_SOURCE)
endif()
if(AMP_LIBGOMP_MAJOR EQUAL AMP_COMPILER_MAJOR)
  set(AMP_COMPILER_SOURCE "${AMP_LIBGOMP_SOURCE}")
else()
  amp_require_gcc_source(${AMP_COMPILER_MAJOR} AMP_COMPILER_SOURCE)
endif()

amp_gcc_source_moved(${AMP_LIBGOMP_MAJOR} "${AMP_LIBGOMP_SOURCE}" moved)
if(moved)
  amp_gcc_source_setting(${AMP_LIBGOMP_MAJOR} version version)
  message(WARNING "${AMP_LIBGOMP_SOURCE} is GCC ${moved}, and libgomp/patches/gcc-${AMP_LIBGOMP_MAJOR} "
    "is for ${version}. Its patches may not apply.")
endif()
message(STATUS "The library is GCC ${AMP_LIBGOMP_MAJOR}'s libgomp, of ${AMP_LIBGOMP_SOURCE}")
