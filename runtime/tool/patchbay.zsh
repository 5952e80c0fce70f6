#compdef patchbay
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of `patchbay` for zsh. It takes verbs, options, their values and descriptions
# from --help, so new ones need no change here.

_patchbay_lines() { # HELP-PATTERN: prints "word:text"
	sed -nE "s/^ +$1.* +- +(.*)/\1:\2/p"
}

_patchbay_values() { # OPTION: prints the lines "=VALUE - ..." below its line
	sed -nE "/^ +$1=<value>/,/^ +-/p" | _patchbay_lines '=([a-z_]+)'
}

# Finds the start of the program that `patchbay record` runs: after --, or the first word
# that is neither an option nor an option's value.
_patchbay_program() { # HELP
	local i with_value=" $(sed -nE 's/^ +(--?[A-Za-z-]+)[ =]<.*/\1/p' <<<$1 | tr '\n' ' ')"
	for ((i = 3; i < CURRENT; i++)); do
		case $words[i] in
		--) echo $((i + 1)); return ;;
		-*) [[ $with_value == *" $words[i] "* ]] && ((i++)) ;;
		*) echo $i; return ;;
		esac
	done
	((i == CURRENT)) && [[ $words[i] != -* ]] && echo $i
}

_patchbay() {
	local command=$words[1] verb=$words[2] help program
	local -a found
	if ((CURRENT == 2)); then
		help=$($command --help 2>/dev/null)
		found=(${(f)"$(_patchbay_lines '([a-z]+)' <<<$help)"})
		_describe verb found
		found=(${(f)"$(_patchbay_lines '(--[a-z-]+)' <<<$help)"})
		_describe -o option found
		return
	fi
	help=$($command $verb --help 2>/dev/null)
	if [[ $verb == record ]] && program=$(_patchbay_program $help) && [[ -n $program ]]; then
		# Uses the program's own completion.
		((CURRENT -= program - 1))
		shift $((program - 1)) words
		_normal
		return
	fi
	if [[ $words[CURRENT] == --*=* ]]; then
		found=(${(f)"$(_patchbay_values ${words[CURRENT]%%=*} <<<$help)"})
		compset -P '*='
	elif [[ $words[CURRENT] == -* ]]; then
		found=(${(f)"$(_patchbay_lines '(--?[A-Za-z][a-z-]*)[ =]' <<<$help)"})
		_describe -o option found
		return
	elif [[ $words[CURRENT-1] == -* ]]; then
		found=(${(f)"$(_patchbay_values $words[CURRENT-1] <<<$help)"})
	fi
	if (($#found)); then
		_describe value found
	else
		_files
	fi
}

_patchbay "$@"
