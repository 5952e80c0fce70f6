# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completes the command line of `patchbay` in fish. `patchbay --completions VERB` prints the verbs,
# options and values with descriptions.

function __patchbay_has_program # Does a program's command line follow the verb?
	set -l words (commandline -opc)
	test (count $words) -ge 2; and test $words[2] = record; and contains -- -- $words[3..-1]
end

function __patchbay_complete
	set -l words (commandline -opc)
	set -l word (commandline -ct)
	set -l before $words[-1]
	set -l lines ($words[1] --completions $words[2] 2>/dev/null | string replace -r '\t.*\t' '\t')
	if test (count $words) -eq 1; or string match -qr '^-[^=]*$' -- $word
		printf '%s\n' $lines | string match -rv '^[^\t]*='
	else if string match -qr '^--.*=' -- $word
		printf '%s\n' $lines | string match -r '^[^\t]*=.*'
	else if string match -qr '^-' -- $before
		printf '%s\n' $lines | string replace -rf -- "^$before=" ''
	end
end

# Uses the completion of the program that `patchbay record` runs.
function __patchbay_complete_program
	set -l words (commandline -opc) (commandline -ct)
	complete -C (string join ' ' -- $words[(math 1 + (contains -i -- -- $words))..-1])
end

complete -c patchbay -n 'test (count (commandline -opc)) -eq 1' -f
complete -c patchbay -n 'not __patchbay_has_program' -a '(__patchbay_complete)'
complete -c patchbay -n __patchbay_has_program -a '(__patchbay_complete_program)'
