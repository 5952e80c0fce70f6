# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#	bash complete.bash SCRIPT WORD...
#
# Prints the completions that SCRIPT offers for the last WORD, as after TAB.
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_patchbay
printf '%s\n' "${COMPREPLY[@]}" | sort -u
