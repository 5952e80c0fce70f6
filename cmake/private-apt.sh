# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# Functions for the scripts that fetch Debian packages. apt runs with a private state
# directory in the user's cache, and so needs no root and does not change the system's
# sources and package lists. apt uses the system's mirrors, and checks downloads against
# the signed index.
#
# A script sets these variables and then calls `begin`, `ask_suites` and `finish`:
#
#   result   the file or folder that the script makes
#   name     the name of the script's folders and locks in the cache
#   wanted   the name of the result in messages
#
# shellcheck disable=SC2034,SC2154 # variables shared with the scripts that source this

cache=${XDG_CACHE_HOME:-$HOME/.cache}/patchbay

die() {
	printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2
	exit 1
}

# If the result exists, prints its path and exits. (Some scripts replace this function.)
there() {
	[ ! -e "$result" ] || {
		printf '%s\n' "$result"
		exit
	}
}

# If the result exists, prints its path and exits. Otherwise locks $name, because two processes
# would remove each other's files, and makes $partial, the folder for downloads.
begin() {
	there
	command -v apt-get >/dev/null || die "cannot fetch $wanted: apt-get not found"
	partial=$cache/partial/$name
	mkdir -p "$partial" "$(dirname "$result")" 2>/dev/null ||
		die "cannot write to $cache: set XDG_CACHE_HOME"
	exec 9>"$partial.lock"
	flock 9
	there
}

# Sets $unpacked, a temporary path. If the script ends early, $unpacked is removed.
unpack_aside() {
	unpacked=$result.$$
	trap 'rm -rf "$unpacked"' EXIT
	trap 'exit 1' HUP INT TERM
}

# Renames the unpacked folder, so that the result appears in one step.
finish() {
	rm -rf "$result"
	mv -T "$unpacked" "$result"
	rm -rf "$partial" "$state/lists"
	there
}

# Prints a line "MIRROR SUITE" for each of the given suites and each mirror; the default is
# the system's own suites. Security suites have their own mirrors.
candidates() {
	configured=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
		'Created-By: Packages' 'Component: main' | sort -u)
	if [ $# -eq 0 ]; then
		printf '%s\n' "$configured"
		return
	fi
	for suite; do
		printf '%s\n' "$configured" | awk -v suite="$suite" '
			NF && ($2 ~ /-security$/) == (suite ~ /-security$/) && !seen[$1]++ {
				print $1, suite
			}'
	done
}

# Writes the private configuration $1/apt.conf for mirror $2 and suite $3: for source
# packages or, if $4 is given, for packages of Debian architecture $4. Disables the system's
# APT::Update hooks, because these act on the system's state.
configure() {
	mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -f "$keyring" ] && option=signed-by=$keyring || option=
	if [ -n "${4:-}" ]; then
		printf 'deb [arch=%s %s] %s %s main\n' "$4" "$option" "$2" "$3"
	else
		printf 'deb-src %s%s %s main\n' "${option:+[$option] }" "$2" "$3"
	fi >"$1/sources.list"
	cat >"$1/apt.conf" <<-END
		Dir::Etc::SourceList "$1/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::State::Lists "$1/lists";
		Dir::Cache "$1/cache";
		APT::Sandbox::User "";
		#clear APT::Update;
	END
	[ -z "${4:-}" ] || cat >>"$1/apt.conf" <<-END
		Dir::State::Status "/dev/null";
		APT::Architecture "$4";
		#clear APT::Architectures;
	END
}

apt_get() {
	apt-get -c "$state/apt.conf" -q "$@" >"$log" 2>&1
}

download() {
	(cd "$partial" && apt_get download "$@")
}

# Prints the newest file in $partial that matches pattern $1: an interrupted run may have
# left an older version.
newest() {
	find "$partial" -name "$1" | sort -V | tail -n 1
}

# ask_suites ARCHITECTURE CANDIDATES [SUITES]: configures each suite in turn (arguments as for
# `configure`) and calls the script's `take` until it succeeds. On failure `take` may set $why
# to the reason; the default is apt's message.
ask_suites() {
	architecture=$1
	[ -n "$2" ] || die "cannot fetch $wanted: apt has no mirror${3:+ for $3}"
	tried=
	while read -r mirror suite; do
		state=$cache/apt/$suite-$name log=$cache/apt/$suite-$name/log why=
		configure "$state" "$mirror" "$suite" "$architecture"
		printf 'looking for %s in %s\n' "$wanted" "$suite" >&2
		if apt_get --error-on=any update && take; then
			return
		fi
		tried="$tried; $suite: ${why:-$(reason "$log")}"
	done <<-END
		$2
	END
	die "cannot fetch $wanted (${tried#; })"
}

# Prints apt's first message, which is the cause of later messages.
reason() {
	sed -n 's/^[EW]: *//p' "$1" | tr -s ' ' | head -n 1
}
