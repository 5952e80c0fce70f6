#compdef patchbay
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completes the command line of `patchbay` in zsh. `patchbay --completions VERB` prints the verbs,
# options and values with descriptions.

_patchbay_lines() { # PATTERN: prints "word:text" of matching words
	sed -nE "s/^$1	.*	/\1:/p"
}

# Prints the position of the program that `patchbay record` runs: after --, or the first
# word that is neither an option nor an option's value.
_patchbay_program() { # LINES
	local i with_value=" $(awk -F '\t' '$2 != "" { printf "%s ", $1 }' <<<$1)"
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
	local command=$words[1] verb=$words[2] lines program
	local -a found
	((CURRENT == 2)) && verb=
	lines=$($command --completions $verb 2>/dev/null)
	if [[ -z $verb ]]; then
		found=(${(f)"$(_patchbay_lines '([a-z]+)' <<<$lines)"})
		_describe verb found
		found=(${(f)"$(_patchbay_lines '(--[a-z-]+)' <<<$lines)"})
		_describe -o option found
	elif [[ $verb == record ]] && program=$(_patchbay_program $lines) && [[ -n $program ]]; then
		# Use the program's own completion.
		((CURRENT -= program - 1))
		shift $((program - 1)) words
		_normal
	elif [[ $words[CURRENT] == -* && $words[CURRENT] != --*=* ]]; then
		found=(${(f)"$(_patchbay_lines '(-[^=	]*)' <<<$lines)"})
		_describe -o option found
	else
		if [[ $words[CURRENT] == --*=* ]]; then
			found=(${(f)"$(_patchbay_lines "${words[CURRENT]%%=*}=([^	]*)" <<<$lines)"})
			compset -P '*='
		elif [[ $words[CURRENT-1] == -* ]]; then
			found=(${(f)"$(_patchbay_lines "$words[CURRENT-1]=([^	]*)" <<<$lines)"})
		fi
		if (($#found)); then
			_describe value found
		else
			_files
		fi
	fi
}

_patchbay "$@"
