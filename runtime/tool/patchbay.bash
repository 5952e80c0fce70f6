# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of `patchbay` for bash. Verbs, options and their values are what
# --help lists, so a new one is known here at once.

_patchbay_words() { # HELP-PATTERN: the words that it captures
	sed -nE "s/^ +$1.*/\1/p"
}

# Where the program begins that `patchbay record` runs: behind --, or the first
# word that is neither an option nor the value of one.
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
			# bash takes --buffer=1M for three words.
			[[ ${COMP_WORDS[i + 1]} == '=' ]] && ((i++))
			((i++))
		fi
	done
	# Not if this word is the value of an option, or one itself.
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
		# The program completes its own arguments, where that is known.
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
			# The lines "=VALUE - ..." below the option's own.
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
