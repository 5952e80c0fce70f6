# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# complete.fish COMPLETIONS LINE: prints the completions at the end of LINE.
source $argv[1]
complete -C $argv[2]
