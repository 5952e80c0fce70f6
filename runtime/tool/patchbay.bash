# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completes the command line of `patchbay` in bash. `patchbay --completions VERB` prints the verbs,
# options and values.

# Prints the position of the program that `patchbay record` runs: after --, or
# the first word that is neither an option nor an option's value.
_patchbay_program() { # LINES
	local i with_value
	with_value=" $(awk -F '\t' '$2 != "" { printf "%s ", $1 }' <<<"$1")"
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			echo $((i + 1))
			return
		elif [[ ${COMP_WORDS[i]} != -* ]]; then
			echo "$i"
			return
		elif [[ $with_value == *" ${COMP_WORDS[i]} "* ]]; then
			# bash splits --buffer=1M into three words.
			[[ ${COMP_WORDS[i + 1]} == '=' ]] && ((i++))
			((i++))
		fi
	done
	# The current word may be an option or an option's value.
	if ((i == COMP_CWORD)) && [[ ${COMP_WORDS[i]} != -* ]]; then
		echo "$i"
	fi
}

_patchbay() {
	local command=${COMP_WORDS[0]} verb=${COMP_WORDS[1]}
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local lines words='' program
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		verb=''
	fi
	lines=$("$command" --completions ${verb:+"$verb"} 2>/dev/null)
	[[ $word == '=' ]] && word=''
	[[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
	if [[ $verb == record ]] && program=$(_patchbay_program "$lines") && [[ $program ]]; then
		# Use the program's own completion, if bash-completion is loaded.
		if declare -F _command_offset >/dev/null; then
			_command_offset "$program"
		elif ((COMP_CWORD == program)); then
			mapfile -t COMPREPLY < <(compgen -c -- "$word")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi
		return
	elif [[ -z $verb || $word == -* ]]; then
		words=$(cut -f 1 <<<"$lines" | grep -v =)
	elif [[ $before == -* ]]; then
		words=$(cut -f 1 <<<"$lines" | sed -n "s/^$before=//p")
	fi
	if [[ $words ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -o filenames -F _patchbay patchbay
