# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds LLD's source, checks that LLVM and the hook patch have the same release, and puts
# a patched copy of the source into the build tree.
#
# Sets PATCHBAY_LLD_TREE (has lld/), PATCHBAY_LLD_PATCHED_SOURCES and
# PATCHBAY_LLD_SERIES, the folder of the patch.

if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(cache_home "$ENV{XDG_CACHE_HOME}")
else()
  set(cache_home "$ENV{HOME}/.cache")
endif()
set(PATCHBAY_LLD_SOURCE "${cache_home}/patchbay/lld-${LLVM_PACKAGE_VERSION}"
  CACHE PATH "folder of LLVM's source release that has lld/ and cmake/")

if(NOT EXISTS ${PATCHBAY_LLD_SOURCE}/lld/ELF/Driver.cpp OR
   NOT EXISTS ${PATCHBAY_LLD_SOURCE}/cmake/Modules/LLVMVersion.cmake)
  message(FATAL_ERROR "no LLD source in ${PATCHBAY_LLD_SOURCE}: run "
    "'sh cmake/bootstrap.sh source' or set PATCHBAY_LLD_SOURCE to a folder that "
    "has lld/ and cmake/ of LLVM ${LLVM_PACKAGE_VERSION}")
endif()

function(read_source_version out)
  include(${PATCHBAY_LLD_SOURCE}/cmake/Modules/LLVMVersion.cmake)
  set(${out} ${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}.${LLVM_VERSION_PATCH}
    PARENT_SCOPE)
endfunction()
block(SCOPE_FOR VARIABLES PROPAGATE source_version)
  unset(LLVM_VERSION_MAJOR)
  unset(LLVM_VERSION_MINOR)
  unset(LLVM_VERSION_PATCH)
  read_source_version(source_version)
endblock()
string(REGEX MATCH "^[0-9]+\\.[0-9]+\\.[0-9]+" llvm_version ${LLVM_PACKAGE_VERSION})
if(NOT source_version STREQUAL llvm_version)
  message(FATAL_ERROR "found LLD ${source_version} in ${PATCHBAY_LLD_SOURCE}, LLD "
    "${llvm_version} is needed: set PATCHBAY_LLD_SOURCE to the source of LLVM "
    "${llvm_version}")
endif()

set(PATCHBAY_LLD_PATCHES ${CMAKE_CURRENT_LIST_DIR}/patches
  CACHE PATH "folder of the hook patch, by LLVM's major and minor version")
set(PATCHBAY_LLD_SERIES
  ${PATCHBAY_LLD_PATCHES}/${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR})
if(NOT EXISTS ${PATCHBAY_LLD_SERIES}/series)
  message(FATAL_ERROR "no hook patch for LLD ${llvm_version} in ${PATCHBAY_LLD_SERIES}: run "
    "'sh lld-patch/refresh.sh ${PATCHBAY_LLD_SOURCE}'")
endif()
file(STRINGS ${PATCHBAY_LLD_SERIES}/series series REGEX "^[^#]")
list(TRANSFORM series PREPEND ${PATCHBAY_LLD_SERIES}/)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${PATCHBAY_LLD_SERIES}/series ${PATCHBAY_LLD_SERIES}/UPSTREAM ${series})

# UPSTREAM has the hashes of the files that the patch was made for.
file(STRINGS ${PATCHBAY_LLD_SERIES}/UPSTREAM hashes REGEX "^file ")
foreach(line ${hashes})
  string(REGEX MATCH "^file ([0-9a-f]+) (.*)$" line ${line})
  set(expected ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  file(SHA256 ${PATCHBAY_LLD_SOURCE}/${name} actual)
  if(NOT actual STREQUAL expected)
    message(FATAL_ERROR "${name} in ${PATCHBAY_LLD_SOURCE} is not the one that the "
      "hook patch is made for (${PATCHBAY_LLD_SERIES}/UPSTREAM): unpack the release again, or "
      "run 'sh lld-patch/refresh.sh ${PATCHBAY_LLD_SOURCE}'")
  endif()
endforeach()

# Copy unpatched files, too, because #include "..." first searches the folder of the
# including file. If the stamp is up to date, the copy stays as it is, so that no file is
# compiled again.
set(PATCHBAY_LLD_TREE ${CMAKE_CURRENT_BINARY_DIR}/upstream)
set(stamp "${PATCHBAY_LLD_SOURCE}")
foreach(file ${PATCHBAY_LLD_SERIES}/UPSTREAM ${series})
  file(SHA256 ${file} hash)
  string(APPEND stamp "\n${hash}")
endforeach()
set(old_stamp)
if(EXISTS ${PATCHBAY_LLD_TREE}/stamp)
  file(READ ${PATCHBAY_LLD_TREE}/stamp old_stamp)
endif()
if(NOT stamp STREQUAL old_stamp)
  find_program(PATCH_EXECUTABLE patch REQUIRED)
  file(REMOVE_RECURSE ${PATCHBAY_LLD_TREE})
  foreach(dir ELF Common include)
    # The source may be read-only, but patch must write to the copy.
    file(COPY ${PATCHBAY_LLD_SOURCE}/lld/${dir} DESTINATION ${PATCHBAY_LLD_TREE}/lld
      NO_SOURCE_PERMISSIONS)
  endforeach()
  foreach(patch ${series})
    execute_process(
      COMMAND ${PATCH_EXECUTABLE} -p1 --fuzz=0 --batch --forward -d ${PATCHBAY_LLD_TREE}
      INPUT_FILE ${patch} OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "${patch} does not apply to ${PATCHBAY_LLD_SOURCE}:\n${log}")
    endif()
  endforeach()
  file(WRITE ${PATCHBAY_LLD_TREE}/stamp "${stamp}")
endif()

set(PATCHBAY_LLD_PATCHED_SOURCES)
foreach(patch ${series})
  file(STRINGS ${patch} names REGEX "^\\+\\+\\+ b/lld/.*\\.cpp")
  foreach(name ${names})
    string(REGEX REPLACE "^\\+\\+\\+ b/([^\t ]*).*$" "\\1" name ${name})
    list(APPEND PATCHBAY_LLD_PATCHED_SOURCES ${PATCHBAY_LLD_TREE}/${name})
  endforeach()
endforeach()
list(REMOVE_DUPLICATES PATCHBAY_LLD_PATCHED_SOURCES)
message(STATUS "LLD ${source_version} in ${PATCHBAY_LLD_SOURCE} (${PATCHBAY_LLD_BUILD} build)")
