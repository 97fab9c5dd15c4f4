# SPDX-License-Identifier: GPL-3.0-or-later
# Builds libgomp.so.1 a second time, of the same patched sources, with its assertions and with a sanitizer that then
# watches it as well.

# amp_library_variant(<name> FOR <tool> FLAGS <flag>... [RULES <sed script>... RULED <file>...])
# Makes the target libgomp_amp_<name>, not of ALL, which writes lib/<name>/libgomp.so.1, and sets AMP_LIBRARY_<name> to
# that file.
# RULES are applied to a copy of the sources, to the files RULED of libgomp/.
function(amp_library_variant name)
  cmake_parse_arguments(PARSE_ARGV 1 VARIANT "" FOR "FLAGS;RULES;RULED")
  set(patched "${PROJECT_BINARY_DIR}/libgomp/src")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/src")
  set(build "${CMAKE_CURRENT_BINARY_DIR}/build")
  set(library "${AMP_LIBRARY_DIR}/${name}/libgomp.so.1")
  find_program(MAKE_PROGRAM make REQUIRED)

  set(rule)
  if(VARIANT_RULES)
    list(TRANSFORM VARIANT_RULED PREPEND "${source}/libgomp/")
    list(TRANSFORM VARIANT_RULES PREPEND --file= OUTPUT_VARIABLE scripts)
    set(rule COMMAND sed -i ${scripts} ${VARIANT_RULED})
  endif()
  # Configured like the library itself, but for offloading.
  add_custom_command(OUTPUT "${build}/Makefile"
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${source}" "${build}"
    COMMAND cp -R "${patched}" "${source}"
    ${rule}
    COMMAND ${CMAKE_COMMAND} -E make_directory "${build}"
    COMMAND ${CMAKE_COMMAND} -E chdir "${build}" "${source}/libgomp/configure" --quiet
      --disable-multilib --disable-static
      "CC=${CMAKE_C_COMPILER}" "CXX=${CMAKE_CXX_COMPILER}" "GFORTRAN=${CMAKE_Fortran_COMPILER}"
      "CFLAGS=-g -O1" > configure.log
    DEPENDS "${patched}.stamp" ${VARIANT_RULES}
    COMMENT "Configuring libgomp for ${VARIANT_FOR}" VERBATIM)

  list(JOIN VARIANT_FLAGS " " flags)
  file(GLOB_RECURSE amp_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/libgomp/amp/*")
  list(FILTER amp_sources EXCLUDE REGEX "/amp/virtual/")
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  add_custom_command(OUTPUT "${library}"
    COMMAND env -u MAKEFLAGS -u MAKELEVEL "${MAKE_PROGRAM}" -C "${build}" -j${cores} --silent libgomp.la V=0
      LIBTOOLFLAGS=--silent "CFLAGS=-g -O1 -pthread -DGOMP_AMP_CHECKED ${flags}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${AMP_LIBRARY_DIR}/${name}"
    COMMAND ${CMAKE_COMMAND} -E copy "${build}/.libs/libgomp.so.1.0.0" "${library}"
    DEPENDS "${build}/Makefile" ${amp_sources}
    COMMENT "Building libgomp.so.1 for ${VARIANT_FOR}" VERBATIM)
  add_custom_target(libgomp_amp_${name} DEPENDS "${library}")
  # It is the sources that are needed, and one after the other each has all cores.
  add_dependencies(libgomp_amp_${name} libgomp_amp)
  set(AMP_LIBRARY_${name} "${library}" PARENT_SCOPE)
endfunction()
