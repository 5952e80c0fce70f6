# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of `patchbay` for bash. It takes verbs, options and their values
# from --help, so new ones need no change here.

_patchbay_words() { # HELP-PATTERN: prints the captured words
	sed -nE "s/^ +$1.*/\1/p"
}

# Finds the start of the program that `patchbay record` runs: after --, or the
# first word that is neither an option nor an option's value.
_patchbay_program() { # HELP
	local i with_value
	with_value=" $(_patchbay_words '(--?[A-Za-z-]+)[ =]<' <<<"$1" | tr '\n' ' ')"
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
	local help words='' program
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		verb=''
	fi
	help=$("$command" ${verb:+"$verb"} --help 2>/dev/null)
	if [[ -z $verb ]]; then
		words=$(_patchbay_words '([a-z]+) +- ' <<<"$help")
		words+=" $(_patchbay_words '(--[a-z-]+) +- ' <<<"$help")"
	elif [[ $verb == record ]] && program=$(_patchbay_program "$help") && [[ $program ]]; then
		# Uses the program's own completion, if bash-completion is loaded.
		if declare -F _command_offset >/dev/null; then
			_command_offset "$program"
		elif ((COMP_CWORD == program)); then
			mapfile -t COMPREPLY < <(compgen -c -- "$word")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi
		return
	else
		[[ $word == '=' ]] && word=''
		[[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
		if [[ $word == -* ]]; then
			words=$(_patchbay_words '(--?[A-Za-z][a-z-]*)[ =]' <<<"$help")
		elif [[ $before == -* ]]; then
			# The lines "=VALUE - ..." below the option's line.
			words=$(sed -nE "/^ +$before=<value>/,/^ +-/p" <<<"$help" |
				_patchbay_words '=([a-z_]+) +- ')
		fi
	fi
	if [[ $words ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -o filenames -F _patchbay patchbay
