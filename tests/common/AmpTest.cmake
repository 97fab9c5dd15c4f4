# SPDX-License-Identifier: GPL-3.0-or-later
# How tests are declared, everywhere: amp_test, amp_gtests.

include_guard(GLOBAL)
include(GoogleTest)
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

# No test gets what environment.py calls foreign: ctest drops it from its own environment before it
# finds or runs a test. What a test sets by WITH comes later. Every directory with tests includes
# this file, since ctest can be run in each; the first does the work.
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/clean-environment.cmake" @ONLY CONTENT [[
include_guard(GLOBAL)
execute_process(
  COMMAND "@Python3_EXECUTABLE@" -B "@CMAKE_CURRENT_LIST_DIR@/environment.py"
  OUTPUT_VARIABLE foreign
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" foreign "${foreign}")
foreach(name IN LISTS foreign)
  unset(ENV{${name}})
endforeach()
]])

# Programs find our library here, and not the system's.
set(AMP_TEST_ENVIRONMENT "LD_LIBRARY_PATH=${AMP_LIBRARY_DIR}")

# What all tests have, for amp_test and amp_gtests: sets AMP_TEST_PROPERTIES. The first part of the name is a label.
# The time limit is against hangs alone: no test that computes comes near it, on a machine that is busy either.
function(amp_test_properties name seconds)
  get_property(included DIRECTORY PROPERTY TEST_INCLUDE_FILES)
  list(PREPEND included "${CMAKE_BINARY_DIR}/clean-environment.cmake")
  list(REMOVE_DUPLICATES included)
  set_property(DIRECTORY PROPERTY TEST_INCLUDE_FILES ${included})
  string(REGEX REPLACE "\\..*" "" labels "${name}")
  if(NOT seconds)
    set(seconds 1800)
  endif()
  set(AMP_TEST_PROPERTIES LABELS ${labels} TIMEOUT ${seconds} SKIP_RETURN_CODE 77 PARENT_SCOPE)
endfunction()

# amp_test(NAME <directory>.<name> COMMAND <program> [<argument>...] [WITH <VAR>=<value>...] [TIMEOUT <seconds>]
#          [CPU <seconds>] [OURS] [ASAN] [SERIAL] [SLOW] [FINDS <regular expression>] [SKIPS <regular expression>]
#          [MAKES <fixture>] [TAKES <fixture>])
# A test that ctest runs. Its exit code 77 is a skip, whose reason it prints.
#   WITH     sets variables for it.
#   TIMEOUT  is 1800 by default, and given only where a test takes that long alone.
#   CPU      bounds what a process of it may compute (RLIMIT_CPU): for searches, which end by themselves.
#   OURS     has it find our library.
#   ASAN     makes asan.<directory>.<name> as well: the same program on the library that AddressSanitizer watches.
#   SERIAL   has it run alone.
#   SLOW     has it run in scripts/check --full only.
#   FINDS    has it pass if it prints such text, whatever its exit code.
#   SKIPS    has it skipped if it prints such text.
#   MAKES    and TAKES: the one test has to run, and pass, before the other.
function(amp_test)
  cmake_parse_arguments(PARSE_ARGV 0 TEST "OURS;ASAN;SERIAL;SLOW" "NAME;TIMEOUT;CPU;FINDS;SKIPS;MAKES;TAKES"
    "COMMAND;WITH")
  # There may be no variable to set.
  list(REMOVE_ITEM TEST_KEYWORDS_MISSING_VALUES WITH)
  if(NOT TEST_NAME OR NOT TEST_COMMAND OR TEST_UNPARSED_ARGUMENTS OR TEST_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "amp_test(${ARGV}): expected NAME and COMMAND, and a value behind each keyword that takes one; "
      "not understood: '${TEST_UNPARSED_ARGUMENTS}' ${TEST_KEYWORDS_MISSING_VALUES}")
  endif()
  set(limit)
  if(TEST_CPU)
    # It may have a sixth of a CPU.
    math(EXPR TEST_TIMEOUT "6 * ${TEST_CPU}")
    set(limit sh -c "ulimit -t ${TEST_CPU} && exec \"$@\"" sh)
    # add_test knows a program by its target only where that comes first.
    list(POP_FRONT TEST_COMMAND program)
    if(TARGET ${program})
      set(program $<TARGET_FILE:${program}>)
    endif()
    list(PREPEND TEST_COMMAND ${program})
  endif()
  add_test(NAME ${TEST_NAME} COMMAND ${limit} ${TEST_COMMAND})
  amp_test_properties(${TEST_NAME} "${TEST_TIMEOUT}")
  set_tests_properties(${TEST_NAME} PROPERTIES ${AMP_TEST_PROPERTIES})
  if(TEST_SLOW)
    set_property(TEST ${TEST_NAME} APPEND PROPERTY LABELS slow)
  endif()
  if(TEST_SERIAL)
    set_property(TEST ${TEST_NAME} PROPERTY RUN_SERIAL ON)
  endif()
  if(TEST_OURS)
    set_property(TEST ${TEST_NAME} APPEND PROPERTY ENVIRONMENT ${AMP_TEST_ENVIRONMENT})
  endif()
  if(TEST_WITH)
    set_property(TEST ${TEST_NAME} APPEND PROPERTY ENVIRONMENT ${TEST_WITH})
  endif()
  if(TEST_FINDS)
    set_property(TEST ${TEST_NAME} PROPERTY PASS_REGULAR_EXPRESSION "${TEST_FINDS}")
  endif()
  if(TEST_SKIPS)
    set_property(TEST ${TEST_NAME} PROPERTY SKIP_REGULAR_EXPRESSION "${TEST_SKIPS}")
  endif()
  if(TEST_MAKES)
    set_property(TEST ${TEST_NAME} PROPERTY FIXTURES_SETUP ${TEST_MAKES})
  endif()
  if(TEST_TAKES)
    set_property(TEST ${TEST_NAME} PROPERTY FIXTURES_REQUIRED ${TEST_TAKES})
  endif()
  if(TEST_ASAN)
    if(NOT DEFINED AMP_HAVE_ASAN)
      message(FATAL_ERROR "amp_test(NAME ${TEST_NAME} ... ASAN): tests/asan has to be added before")
    endif()
    if(AMP_HAVE_ASAN)
      list(POP_FRONT TEST_COMMAND program)
      set(serial)
      if(TEST_SERIAL)
        set(serial SERIAL)
      endif()
      amp_asan_test(${TEST_NAME} COMMAND ${AMP_ASAN_UNDER} $<TARGET_FILE:${program}> ${TEST_COMMAND}
        WITH ${TEST_WITH} ${serial})
    endif()
  endif()
endfunction()

# amp_gtests(<directory> <program> [TIMEOUT <seconds>]): each test of a GoogleTest program as one of ctest's, which is
# called <directory>.<its name> and runs in a process of its own.
function(amp_gtests directory program)
  cmake_parse_arguments(PARSE_ARGV 2 TEST "" TIMEOUT "")
  amp_test_properties(${directory} "${TEST_TIMEOUT}")
  gtest_discover_tests(${program} TEST_PREFIX ${directory}. PROPERTIES ${AMP_TEST_PROPERTIES}
    DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 900)
endfunction()
