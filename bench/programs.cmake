# SPDX-License-Identifier: GPL-3.0-or-later
# How a benchmark program is built, by the wrappers as a user would, and tested when small.

set(bench_root ${CMAKE_CURRENT_LIST_DIR})
set(bench_directory ${CMAKE_CURRENT_BINARY_DIR})
set(bench_objects ${CMAKE_CURRENT_BINARY_DIR}/objects)
# Programs that are compared differ in size, and the address that a hot loop so gets by chance can cost
# more than what they are compared for.
set(bench_flags -O3 -g -fopenmp -falign-functions=64 -falign-loops=64 -Wall -Wextra)
set(bench_flags_C -std=gnu11 -I${bench_root}/common)
set(bench_flags_CXX -std=c++17 -I${bench_root}/common)
set(bench_flags_Fortran -std=f2008)
set(bench_wrapper_C ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/amp-gcc)
set(bench_wrapper_CXX ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/amp-g++)
set(bench_wrapper_Fortran ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/amp-gfortran)
set(bench_variable_C AMP_CC)
set(bench_variable_CXX AMP_CXX)
set(bench_variable_Fortran AMP_FC)
set(bench_sizes ${bench_root}/matrix/programs.toml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${bench_sizes})
file(MAKE_DIRECTORY ${bench_objects})

set(bench_counted_flags --amp-count --amp-route=none)
set(common)
foreach(counted "" -counted)
  set(compiler ${CMAKE_C_COMPILER})
  if(counted)
    set(compiler ${CMAKE_COMMAND} -E env AMP_CC=${CMAKE_C_COMPILER} ${bench_wrapper_C} ${bench_counted_flags})
  endif()
  set(object ${bench_objects}/bench${counted}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${compiler} ${bench_flags_C} ${bench_flags} -c ${bench_root}/common/bench.c -o ${object}
    DEPENDS ${bench_root}/common/bench.c ${bench_root}/common/bench.h ${AMP_ROUTE}
    COMMENT "Building what the benchmarks share"
    VERBATIM)
  list(APPEND common ${object})
endforeach()
add_custom_target(bench-common DEPENDS ${common})
add_custom_target(bench ALL)

# bench_program(<name> [SOURCES <source>...] [HEADERS <header>...] [FLAGS <flag>...]
#               [INLINE | AND_INLINE] [TASKS | TASKS_AND_LOOPS] [SMALLEST [<argument>...]])
# Makes bench/<name> in the build directory; a name may have a directory. Sources and headers are
# those in programs/, or for a name that begins with npb/ or rodinia/ beside it; without them all of
# C in the directory <name>. The first source's language decides on the compiler: a wrapper, or with
# INLINE the plain one, which routes no loop; AND_INLINE makes <name>-inline by it as well. To Fortran
# sources the module bench comes first. With SMALLEST, even without arguments after it, or a smallest
# size in programs.toml, tests run the program so under every schedule, by one to four threads of two
# classes. A program with TASKS has no loops, and is run in every mode of tasks instead; one with
# TASKS_AND_LOOPS has a version with each, which --with=tasks and --with=loops select, and is run as
# both. Folded teams run it as the plain compiler makes it, if there is such a program. Each is
# also built to count its work, in counted/, for exact virtual time.
function(bench_program name)
  cmake_parse_arguments(PARSE_ARGV 1 PROGRAM "INLINE;AND_INLINE;TASKS;TASKS_AND_LOOPS" ""
                        "FLAGS;HEADERS;SMALLEST;SOURCES")
  set(room ${bench_root}/programs)
  if(name MATCHES "^(npb|rodinia)/")
    set(room ${bench_root})
  endif()
  if(NOT PROGRAM_SOURCES)
    file(GLOB PROGRAM_SOURCES CONFIGURE_DEPENDS ${room}/${name}/*.c)
    file(GLOB PROGRAM_HEADERS CONFIGURE_DEPENDS ${room}/${name}/*.h)
  endif()
  string(REPLACE "+" "\\+" pattern "^\"${name}\" = { smallest = \"([^\"]*)\".*")
  file(STRINGS ${bench_sizes} size REGEX "${pattern}")
  if(size)
    string(REGEX REPLACE "${pattern}" "\\1" PROGRAM_SMALLEST "${size}")
    separate_arguments(PROGRAM_SMALLEST)
  endif()
  list(GET PROGRAM_SOURCES 0 first)
  set(language C)
  if(first MATCHES "\\.f90$")
    set(language Fortran)
  elseif(first MATCHES "\\.cc$")
    set(language CXX)
  endif()
  set(sources)
  foreach(source ${PROGRAM_SOURCES})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${room} NORMALIZE)
    list(APPEND sources ${source})
  endforeach()
  set(headers ${bench_root}/common/bench.h)
  foreach(header ${PROGRAM_HEADERS})
    cmake_path(ABSOLUTE_PATH header BASE_DIRECTORY ${room} NORMALIZE)
    list(APPEND headers ${header})
  endforeach()
  set(flags ${bench_flags} ${bench_flags_${language}} ${PROGRAM_FLAGS})
  set(objects ${bench_objects}/${name})
  if(language STREQUAL "Fortran")
    list(PREPEND sources ${bench_root}/common/bench.f90)
    # Of each compiler's module files, its own.
    file(MAKE_DIRECTORY ${objects})
    list(APPEND flags -J${objects})
  endif()
  set(compiler ${bench_wrapper_${language}})
  if(PROGRAM_INLINE)
    set(compiler ${CMAKE_${language}_COMPILER})
  endif()
  # One compiler for both.
  set(run ${CMAKE_COMMAND} -E env ${bench_variable_${language}}=${CMAKE_${language}_COMPILER})

  set(output ${bench_directory}/${name})
  cmake_path(GET output PARENT_PATH directory)
  file(MAKE_DIRECTORY ${directory})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${run} ${compiler} ${flags} ${sources} ${bench_objects}/bench.o -lm -o ${output}
    DEPENDS ${sources} ${headers} ${bench_objects}/bench.o ${compiler} ${AMP_ROUTE}
    COMMENT "Building benchmark ${name}"
    VERBATIM)
  # It is the same code, and counts its work.
  set(counted ${bench_directory}/counted/${name})
  cmake_path(GET counted PARENT_PATH directory)
  file(MAKE_DIRECTORY ${directory})
  list(TRANSFORM flags REPLACE "^-J.*" "-J${objects}-counted")
  file(MAKE_DIRECTORY ${objects}-counted)
  set(count --amp-count)
  if(PROGRAM_INLINE)
    set(count ${bench_counted_flags})
  endif()
  add_custom_command(
    OUTPUT ${counted}
    COMMAND ${run} ${bench_wrapper_${language}} ${count} ${flags} ${sources} ${bench_objects}/bench-counted.o
            -lm -o ${counted}
    DEPENDS ${sources} ${headers} ${bench_objects}/bench-counted.o ${bench_wrapper_${language}} ${AMP_ROUTE}
    COMMENT "Building benchmark ${name}, counted"
    VERBATIM)
  string(REPLACE "/" "-" target bench-${name})
  add_custom_target(${target} DEPENDS ${output} ${counted})
  add_dependencies(${target} bench-common)
  add_dependencies(bench ${target})
  if(PROGRAM_AND_INLINE)
    set_property(GLOBAL APPEND PROPERTY bench_compiled_twice ${name})
    bench_program(${name}-inline SOURCES ${PROGRAM_SOURCES} HEADERS ${PROGRAM_HEADERS} FLAGS
                  ${PROGRAM_FLAGS} INLINE)
  endif()
  if(size OR "SMALLEST" IN_LIST ARGN)
    if(PROGRAM_TASKS)
      bench_task_test(${name} ${name} ${PROGRAM_SMALLEST})
      bench_fold_test(${name} ${name} ${PROGRAM_SMALLEST})
    elseif(PROGRAM_TASKS_AND_LOOPS)
      bench_task_test(${name} ${name} ${PROGRAM_SMALLEST} --with=tasks)
      bench_fold_test(${name}.tasks ${name} ${PROGRAM_SMALLEST} --with=tasks)
      bench_test(${name} ${name} ${PROGRAM_SMALLEST} --with=loops)
      bench_fold_test(${name} ${name} ${PROGRAM_SMALLEST} --with=loops)
    else()
      bench_test(${name} ${name} ${PROGRAM_SMALLEST})
      set(plain ${name})
      if(PROGRAM_AND_INLINE)
        set(plain ${name}-inline)
      endif()
      bench_fold_test(${name} ${plain} ${PROGRAM_SMALLEST})
    endif()
  endif()
endfunction()

# The fork's schedules, of which schedules.def is the list.
set(table ${CMAKE_CURRENT_LIST_DIR}/../libgomp/amp/options/schedules.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
file(STRINGS ${table} rows REGEX "^GOMP_AMP_SCHEDULE \\(")
list(TRANSFORM rows REPLACE "^[^\"]*\"([^\"]+)\".*$" "\\1")
if(NOT rows)
  message(FATAL_ERROR "${table} has no row in the form GOMP_AMP_SCHEDULE (IDENT, \"name\", ...")
endif()
set(AMP_SCHEDULES ${rows} CACHE INTERNAL "")

# What scripts/check runs of each program, beside bench.quick: one schedule, one mode of tasks.
foreach(way static dynamic guided ${AMP_SCHEDULES} upstream fifo)
  set(bench_slow_${way} SLOW)
endforeach()
set(bench_slow_aid_hybrid "")
set(bench_slow_fifo "")

# bench_test(<name> <program> [<argument>...]): tests of a program with arguments, one a schedule.
function(bench_test name program)
  foreach(schedule static dynamic guided ${AMP_SCHEDULES})
    bench_verify(${name}.${schedule} --schedule ${schedule} ${program} -- ${ARGN} ${bench_slow_${schedule}})
  endforeach()
endfunction()

# bench_task_test(<name> <program> [<argument>...]): the same of tasks, one a mode.
function(bench_task_test name program)
  foreach(mode upstream fifo)
    bench_verify(${name}.tasks-${mode} --tasks ${mode} ${program} -- ${ARGN} ${bench_slow_${mode}})
  endforeach()
endfunction()

# What scripts/check runs in folded teams, of two thread numbers a worker.
set(bench_folded_sample npb/cg npb/is npb/mg rodinia/bfs tasks/sparselu)

# bench_fold_test(<name> <program> [<argument>...]): the same in folded teams.
function(bench_fold_test name program)
  bench_verify(${name}.folded --fold 1,2,4,8 ${program} -- ${ARGN} SLOW)
  if(name IN_LIST bench_folded_sample)
    bench_verify(${name}.folded-sample --fold 2 ${program} -- ${ARGN})
  endif()
endfunction()

# bench_verify(<name> <argument>...): a test that is one run of tests/verify.
function(bench_verify name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  string(REPLACE "/" "." name bench.${name})
  amp_test(NAME ${name}
           COMMAND ${Python3_EXECUTABLE} ${bench_root}/tests/verify --build ${CMAKE_BINARY_DIR} ${ARGN})
endfunction()
