# SPDX-License-Identifier: GPL-3.0-or-later
# The tool (OMPT) behind GOMP_AMP_REPORT and GOMP_AMP_TRACE, which a library loads from beside it.

# amp_watch_library(<target> <directory>): the target that writes <directory>/libamp-watch.so.
function(amp_watch_library target directory)
  cmake_path(GET CMAKE_CURRENT_FUNCTION_LIST_DIR PARENT_PATH root)
  set(amp "${root}/libgomp/amp")
  set(sources callbacks.c file.c report.c site.c tool.c trace.c)
  list(TRANSFORM sources PREPEND "${root}/tools/amp-watch/")
  add_library(${target} MODULE ${sources} "${amp}/base/objects.c" "${amp}/base/temporary.c"
    "${amp}/base/write-signals.c" "${amp}/sites/site-name.c")
  target_include_directories(${target} PRIVATE "${amp}" "${amp}/ompt")
  set_target_properties(${target} PROPERTIES PREFIX lib OUTPUT_NAME amp-watch C_STANDARD 11 C_EXTENSIONS ON
    C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY "${directory}")
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  target_link_options(${target} PRIVATE LINKER:-z,now)
endfunction()
