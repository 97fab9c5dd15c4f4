# SPDX-License-Identifier: GPL-3.0-or-later
# Finds the GCC sources to patch: libgomp's of one major version, and the compilers' of the one that
# their patches are for.
#
# Input:  AMP_LIBGOMP_MAJOR (cache): which queue of libgomp/patches is built; empty = the default
#         AMP_GCC_SOURCE (cache): that major's source, a tarball or an unpacked directory; empty =
#         the package that the queue's source.conf names
# Output: AMP_LIBGOMP_SOURCE, AMP_COMPILER_MAJOR; with AMP_PLUGIN AMP_COMPILER_SOURCE
#         AMP_LIBGOMP_MAJOR: never empty
#         AMP_LIBGOMP_QUEUE: the directory of its queue
#         AMP_LIBGOMP_DEFAULT: the major that is built unless another one is chosen

set(AMP_COMPILER_MAJOR 12)
set(AMP_LIBGOMP_DEFAULT 14)
set(AMP_LIBGOMP_MAJOR "" CACHE STRING
  "Major version of the GCC whose libgomp is built: a queue of libgomp/patches (default: \
${AMP_LIBGOMP_DEFAULT})")
set(AMP_GCC_SOURCE "" CACHE PATH
  "Source tarball or directory of GCC AMP_LIBGOMP_MAJOR (default: its queue's package)")
if(NOT AMP_LIBGOMP_MAJOR)
  set(AMP_LIBGOMP_MAJOR ${AMP_LIBGOMP_DEFAULT})
endif()
set(AMP_LIBGOMP_QUEUE "${PROJECT_SOURCE_DIR}/libgomp/patches/gcc-${AMP_LIBGOMP_MAJOR}")

# amp_gcc_source_setting(<queue> <setting> <result>): what the directory <queue> has for <setting> in
# its source.conf.
function(amp_gcc_source_setting queue setting result)
  set(conf "${queue}/source.conf")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${conf}")
  file(STRINGS "${conf}" line REGEX "^${setting}=")
  if(NOT line)
    message(FATAL_ERROR "${conf} has no line ${setting}=VALUE.")
  endif()
  string(REGEX REPLACE "^[^=]*=" "" value "${line}")
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

# amp_find_gcc_source(<queue> <result>): the tarball of the source that <queue> is for; empty if it is
# not installed. scripts/install-deps puts one that is of another Debian release below /usr/local.
function(amp_find_gcc_source queue result)
  amp_gcc_source_setting("${queue}" tarball tarball)
  set(${result} "" PARENT_SCOPE)
  foreach(directory /usr/local/src /usr/src)
    file(GLOB found "${directory}/${tarball}")
    list(LENGTH found count)
    if(count EQUAL 1)
      set(${result} "${found}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# amp_gcc_source_moved(<queue> <source> <result>): the release that the tarball <source> is of, if its
# name says another one than <queue> is for; otherwise empty. Packages of a Debian release that is
# still being made move on.
function(amp_gcc_source_moved queue source result)
  amp_gcc_source_setting("${queue}" version version)
  set(${result} "" PARENT_SCOPE)
  if(source MATCHES "/gcc-([0-9.]+[0-9])[^/]*$" AND NOT CMAKE_MATCH_1 STREQUAL version)
    set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

if(NOT EXISTS "${AMP_LIBGOMP_QUEUE}/series")
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
  amp_find_gcc_source("${AMP_LIBGOMP_QUEUE}" AMP_LIBGOMP_SOURCE)
  if(NOT AMP_LIBGOMP_SOURCE)
    amp_gcc_source_setting("${AMP_LIBGOMP_QUEUE}" package package)
    amp_gcc_source_setting("${AMP_LIBGOMP_QUEUE}" version version)
    message(FATAL_ERROR "The source of GCC ${AMP_LIBGOMP_MAJOR} is missing: the package ${package} "
      "is not installed. scripts/install-deps gets it, also from another release of Debian's. Without "
      "that, get gcc-${version}.tar.xz from https://ftp.gnu.org/gnu/gcc/gcc-${version}/ and name it with "
      "-DAMP_GCC_SOURCE=PATH, or a directory of that source.")
  endif()
endif()

if(AMP_PLUGIN)
  set(compiler_queue "${PROJECT_SOURCE_DIR}/gcc-patch/patches/gcc-${AMP_COMPILER_MAJOR}")
  amp_find_gcc_source("${compiler_queue}" AMP_COMPILER_SOURCE)
  if(NOT AMP_COMPILER_SOURCE)
    amp_gcc_source_setting("${compiler_queue}" package package)
    message(FATAL_ERROR "The source of GCC ${AMP_COMPILER_MAJOR} is missing, which the patched compiler "
      "is built of. Install the package ${package}; scripts/install-deps does.")
  endif()
endif()

amp_gcc_source_moved("${AMP_LIBGOMP_QUEUE}" "${AMP_LIBGOMP_SOURCE}" moved)
if(moved)
  amp_gcc_source_setting("${AMP_LIBGOMP_QUEUE}" version version)
  message(WARNING "${AMP_LIBGOMP_SOURCE} is GCC ${moved}, and ${AMP_LIBGOMP_QUEUE} is for ${version}. "
    "Its patches may not apply.")
endif()
message(STATUS "The library is GCC ${AMP_LIBGOMP_MAJOR}'s libgomp, of ${AMP_LIBGOMP_SOURCE}")
