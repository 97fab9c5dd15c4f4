# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the build into a scratch prefix, and builds and runs a program against what is there.

set(work "${BUILD}/Testing/install")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${work}/prefix")
foreach(file lib/libgomp-amp/libgomp.so.1 include/ompx_amp.h include/ompx_amp.f90 bin/amp-run bin/amp-gcc
    bin/amp-g++ bin/amp-gfortran bin/amp-emu bin/amp-info
    lib/libgomp-amp/virtual/libgomp.so.1 lib/pkgconfig/libgomp-amp.pc share/man/man1/amp-run.1.gz)
  if(NOT EXISTS "${work}/prefix/${file}")
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

# The CMake package, from a prefix that is not the configured one.
run(${CMAKE_COMMAND} -S "${SOURCE}" -B "${work}/consumer" "-DCMAKE_PREFIX_PATH=${work}/prefix"
  "-DCMAKE_C_COMPILER=${C_COMPILER}")
run(${CMAKE_COMMAND} --build "${work}/consumer")
run("${work}/prefix/bin/amp-run" "${work}/consumer/consumer")
if(NOT output MATCHES "ours" OR NOT output MATCHES "aid_hybrid 1073741826 5")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()

# pkg-config's flags alone make a program that runs with our library.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} "${work}/prefix/lib/pkgconfig")
  run(${PKG_CONFIG} --cflags --libs libgomp-amp)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(${C_COMPILER} -fopenmp "${SOURCE}/consumer.c" ${flags} -o "${work}/by-pkg-config")
  run("${work}/by-pkg-config")
  if(NOT output MATCHES "ours")
    message(FATAL_ERROR "the program built with pkg-config printed: ${output}")
  endif()
else()
  message(STATUS "no pkg-config here: its file was not tried")
endif()

# The installed compiler wrapper needs nothing of the build tree: a program of its own, run as it is.
run("${work}/prefix/bin/amp-gcc" -fopenmp -I "${work}/prefix/include" "${SOURCE}/consumer.c" -o "${work}/by-amp-gcc")
run("${work}/by-amp-gcc")
if(NOT output MATCHES "ours")
  message(FATAL_ERROR "the program built with amp-gcc printed: ${output}")
endif()

run("${FORTRAN_COMPILER}" -fopenmp "${work}/prefix/include/ompx_amp.f90" "${SOURCE}/consumer.f90" -J "${work}"
  -o "${work}/fortran")
run("${work}/prefix/bin/amp-run" "${work}/fortran")
if(NOT output MATCHES "1073741827 +9")
  message(FATAL_ERROR "the Fortran program printed: ${output}")
endif()
