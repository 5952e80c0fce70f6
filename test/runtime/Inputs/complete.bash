# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#	bash complete.bash SCRIPT WORD...
#
# Prints what SCRIPT makes of the last WORD, as when one presses TAB behind it.
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_patchbay
printf '%s\n' "${COMPREPLY[@]}" | sort -u
