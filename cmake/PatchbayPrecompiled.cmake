# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# patchbay_precompile(TARGET OPTIONS HEADER): HEADER is compiled once for the C++ files of
# TARGET. OPTIONS is the interface library that says how both are compiled.
#
# CMake's own rule (target_precompile_headers) writes the name of the build folder into what
# it compiles, so that a build in another folder finds none of these objects in ccache.
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON leaves both alone, and so does any other compiler than
# clang, whose options these are.
function(patchbay_precompile target options header)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  add_library(${target}-precompiled OBJECT ${header})
  target_link_libraries(${target}-precompiled PRIVATE ${options})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "MODULE_LIBRARY")
    set_target_properties(${target}-precompiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  foreach(name CXX_VISIBILITY_PRESET VISIBILITY_INLINES_HIDDEN)
    get_target_property(value ${target} ${name})
    if(value)
      set_target_properties(${target}-precompiled PROPERTIES ${name} ${value})
    endif()
  endforeach()
  set_source_files_properties(${header} PROPERTIES LANGUAGE CXX
    COMPILE_OPTIONS "-xc++-header;-fpch-instantiate-templates;-Xclang;-fno-pch-timestamp")

  set(precompiled
    ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}-precompiled.dir/${header}.o)
  add_dependencies(${target} ${target}-precompiled)
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "\\.cpp$")
  set_property(SOURCE ${files} APPEND PROPERTY OBJECT_DEPENDS ${precompiled})
  set_property(SOURCE ${files} APPEND PROPERTY COMPILE_OPTIONS -include-pch ${precompiled})
endfunction()
