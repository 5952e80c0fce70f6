# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# record-process-system.sh DIR WHAT...
#
# Runs `patchbay record -p` in an emulated guest. The command is in DIR/bin; programs are in
# DIR. WHAT is "counts PROG TIMES", "storm PROG TIMES", "loaded PROG TIMES" (a storm while
# four other processes compete for the CPUs), "kill PROG TIMES", "registers PROG TIMES",
# "sve PROG TIMES" or "waits PROG FUNCTION,...".
cd "$1" || exit
shift
patchbay=./bin/patchbay

die() {
	echo "$*"
	[ ! -s err ] || cat err
	exit 1
}

# Descriptor 3 is the program's input. Descriptor 4 is its output.
start() {
	rm -f in said
	mkfifo in said
	"$@" <in >said &
	pid=$!
	exec 3>in 4<said
	answer=$(hear)
	[ "$answer" = ready ] || die "$1: $answer"
}

# Reads a line. A shell reads a pipe byte by byte, so it leaves the next line in the pipe.
hear() {
	read -r line <&4
	printf '%s\n' "$line"
}

ask() {
	echo "$1" >&3
	answer=$(hear)
}

finish() {
	exec 3>&- 4<&-
	wait "$pid" || die "the program ended with status $?"
}

state() {
	ls "/proc/$pid/fd" "/proc/$pid/task"
}

check_quiet() {
	now=$(state)
	[ "$now" = "$before" ] || die "$before became $now"
	! grep -E ' .w.x|[.]pbd' "/proc/$pid/maps" || die "mappings are left"
}

tracer() {
	case $(($1 % 5)) in
	0) echo "-t function_profile" ;;
	1) echo "-t function" ;;
	2) echo "-t function_duration" ;;
	3) echo "--histogram" ;;
	4) echo "-t function_graph --overwrite --buffer 1M" ;;
	esac
}

# record OPTIONS -- COMMAND
#
# On a busy machine an emulated CPU may need longer than the command waits. The storm's loader
# may be active at each check by the command.
record() {
	tries=0
	until rm -rf rec && $patchbay record -p "$pid" -o rec "$@" 2>err; do
		tries=$((tries + 1))
		[ $tries -lt 10 ] || die "record: failed $tries times"
		grep -q 'in [0-9]* seconds\|; try again$' err || die "record failed"
	done
}

seen() {
	$patchbay report -i rec | awk '/ counted( |$)/ { print $1 }'
}

# The runtime's threads make no malloc arenas, so that mappings can be counted.
counts() {
	start env MALLOC_ARENA_MAX=1 ./"$1"
	before=$(state)
	mapped=
	i=0
	while [ $i -lt "$2" ]; do
		ask 3
		# shellcheck disable=SC2046 # words
		record -F counted $(tracer $i) -- sh -c "echo $((50 + i)) >&3 && read -r line <&4"
		check_quiet
		ask 2
		[ "$(seen)" = $(((50 + i) * 4)) ] || die "$i: $(seen) calls of $(((50 + i) * 4))"
		[ -n "$mapped" ] || mapped=$(wc -l <"/proc/$pid/maps")
		i=$((i + 1))
	done
	now=$(wc -l <"/proc/$pid/maps")
	[ "$now" -lt $((mapped + $2 - 1)) ] || die "$mapped mappings became $now"
	finish
	echo "$1: counted exactly $2 times"
}

storm() {
	start ./"$1"
	i=0
	while [ $i -lt "$2" ]; do
		# shellcheck disable=SC2046 # words
		record $(tracer $i) -- sleep 0.05
		i=$((i + 1))
	done
	finish
	echo "$1: stood $2 recordings"
}

loaded() {
	others=
	for _ in 1 2 3 4; do
		(while :; do :; done) &
		others="$others $!"
	done
	# Kill them even if the storm fails; otherwise the guest would never end.
	# shellcheck disable=SC2064 # as they are now
	trap "kill $others" EXIT
	storm "$@"
	trap - EXIT
	# shellcheck disable=SC2086 # numbers
	kill $others
}

system_call() {
	cut -d ' ' -f 1 "/proc/$pid/syscall"
}

# The program's only thread waits in a function. The command must not interrupt its system
# call.
waits() {
	for function in $(echo "$2" | tr , ' '); do
		start ./"$1" "$function"
		until [ "$(sed 's/.*) //; s/ .*//' "/proc/$pid/stat")" = S ]; do :; done
		before=$(system_call)
		record -F counted -- true
		sleep 0.1
		[ "$(system_call)" = "$before" ] || die "$function: in $before, and now in $(system_call)"
		case $function in
		f* | get* | scanf)
			echo 1 >&3
			finish
			;;
		*)
			kill "$pid"
			exec 3>&- 4<&-
			wait "$pid"
			;;
		esac
		echo "$1 $function: recorded"
	done
}

# Kills the command at random moments. The runtime then finishes by itself after a
# hundred thousand short waits, which take minutes on a busy emulated CPU.
kill_it() {
	start ./"$1"
	before=$(state)
	i=0
	while [ $i -lt "$2" ]; do
		rm -rf rec
		$patchbay record -p "$pid" -o rec 2>/dev/null &
		sleep 0.$((i * 7 % 10))$i
		kill -KILL $!
		wait $! 2>/dev/null
		ask 10
		i=$((i + 1))
	done
	i=0
	while [ "$(state)" != "$before" ] && [ $i -lt 240 ]; do
		sleep 1
		i=$((i + 1))
	done
	check_quiet
	record -F counted -- sh -c 'echo 7 >&3 && read -r line <&4'
	[ "$(seen)" = 28 ] || die "$(seen) calls of 28"
	check_quiet
	finish
	echo "$1: survived $2 commands"
}

# Runs a loop with values in all registers; "sve" adds SVE's registers.
registers() {
	# shellcheck disable=SC2086 # the second one may be there
	start ./"$1" $3
	i=0
	while [ $i -lt "$2" ]; do
		record -- sleep 0.05
		i=$((i + 1))
	done
	kill -ALRM "$pid"
	echo "$1${3:+ $3}: $(hear)"
	finish
}

while [ $# -gt 0 ]; do
	case $1 in
	kill) kill_it "$2" "$3" ;;
	sve) registers "$2" "$3" sve ;;
	*) "$1" "$2" "$3" ;;
	esac
	shift 3
done
