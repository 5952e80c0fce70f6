# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   cmake -DPLUGIN=patchbay-pass.so -DHEADER=plugin-id.h -P WritePluginId.cmake
#
# Compiler caches (ccache, sccache) hash included headers and a plugin that the command
# line names, but not a plugin that clang's configuration file names. So the configuration
# file includes a header that differs for each plugin. The pragma in the header, which
# clang ignores, is for caches that hash only preprocessed source.
file(SHA256 ${PLUGIN} id)
file(WRITE ${HEADER} "/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * patchbay.cfg includes this, so that a compiler cache or a build system sees when
 * the plugin is another one. Written where the plugin is installed.
 */
#pragma GCC system_header
#ifndef __ASSEMBLER__
#pragma patchbay plugin ${id}
#endif
")
file(CHMOD ${HEADER} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
