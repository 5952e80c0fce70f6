# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of `patchbay` for fish. It takes verbs, options, their values and descriptions
# from --help, so new ones need no change here.

function __patchbay_lines # HELP-PATTERN: prints each word and its text
	sed -nE 's/^ +'$argv[1]'.* +- +(.*)/\1\t\2/p'
end

# The lines "=VALUE - ..." below the option's line.
function __patchbay_values
	sed -nE '/^ +'$argv[1]'=<value>/,/^ +-/p' | __patchbay_lines '=([a-z_]+)'
end

function __patchbay_has_program # Does a program's command line follow the verb?
	set -l words (commandline -opc)
	test (count $words) -ge 2; and test $words[2] = record; and contains -- -- $words[3..-1]
end

function __patchbay_complete
	set -l words (commandline -opc)
	set -l word (commandline -ct)
	if test (count $words) -eq 1
		$words[1] --help 2>/dev/null | __patchbay_lines '([a-z]+|--[a-z-]+)'
		return
	end
	set -l help ($words[1] $words[2] --help 2>/dev/null)
	if string match -qr '^--.*=' -- $word
		set -l option (string replace -r '=.*' '' -- $word)
		printf '%s\n' $help | __patchbay_values $option | sed "s/^/$option=/"
	else if string match -qr '^-' -- $word
		printf '%s\n' $help | __patchbay_lines '(--?[A-Za-z][a-z-]*)[ =]'
	else if string match -qr '^-' -- $words[-1]
		printf '%s\n' $help | __patchbay_values $words[-1]
	end
end

# Uses the program's own completion.
function __patchbay_complete_program
	set -l words (commandline -opc) (commandline -ct)
	complete -C (string join ' ' -- $words[(math 1 + (contains -i -- -- $words))..-1])
end

complete -c patchbay -n 'test (count (commandline -opc)) -eq 1' -f
complete -c patchbay -n 'not __patchbay_has_program' -a '(__patchbay_complete)'
complete -c patchbay -n __patchbay_has_program -a '(__patchbay_complete_program)'
