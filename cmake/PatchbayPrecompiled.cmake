# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# patchbay_precompile(TARGET OPTIONS HEADER): compiles HEADER once for the C++ files of
# TARGET. The interface library OPTIONS has the compile options of TARGET and HEADER.
#
# CMake's target_precompile_headers writes the name of the build folder into the header, so
# that a build in another folder would find none of TARGET's objects in ccache. ccache is
# off for the precompiled header, which contains the name of the source folder: the cache
# may outlive the folder. The function does nothing in three cases:
#   -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
#   another compiler than clang, because the options are clang's
#   a multi-config generator, because each configuration has its own header path
function(patchbay_precompile target options header)
  get_property(has_several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS OR has_several OR
     NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  add_library(${target}-precompiled OBJECT ${header})
  target_link_libraries(${target}-precompiled PRIVATE ${options})
  set_target_properties(${target}-precompiled PROPERTIES CXX_COMPILER_LAUNCHER "")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "MODULE_LIBRARY")
    set_target_properties(${target}-precompiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
  elseif(CMAKE_POSITION_INDEPENDENT_CODE)
    # CMake adds -fPIE to executables but not to object libraries. clang refuses a header that
    # was compiled without -fPIE.
    set_target_properties(${target}-precompiled PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target}-precompiled PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
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
