# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# Read by the scripts that fetch Debian packages: apt with a state directory of
# its own in the user's cache, so neither the system's sources nor its package
# lists change, and no root is needed. The mirrors are those that the system's
# apt is configured with. apt checks what it downloads against the signed index.
#
# A script says what it is about, and then calls `begin`, `ask_suites` and `finish`:
#
#   result   the file or folder that it makes
#   name     what folders and locks that are for this alone are called
#   wanted   what messages call it
#
# shellcheck disable=SC2034,SC2154 # variables for who reads this, and of theirs

cache=${XDG_CACHE_HOME:-$HOME/.cache}/patchbay

die() {
	printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2
	exit 1
}

# Prints the result and ends, if it is there. (Some scripts have their own of this.)
there() {
	[ ! -e "$result" ] || {
		printf '%s\n' "$result"
		exit
	}
}

# Prints the result and ends, if it is there; else waits until nobody else makes it, since
# of two one would take away what the other is about to unpack. Downloads go to $partial.
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

# A name for what is unpacked until it is whole; removed if the script ends before.
unpack_aside() {
	unpacked=$result.$$
	trap 'rm -rf "$unpacked"' EXIT
	trap 'exit 1' HUP INT TERM
}

# The rename makes the result appear whole or not at all.
finish() {
	rm -rf "$result"
	mv -T "$unpacked" "$result"
	rm -rf "$partial" "$state/lists"
	there
}

# Prints "MIRROR SUITE" lines, in the order of the suites named; without any,
# the system's own. Security suites live on mirrors of their own.
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

# Writes the private configuration $1/apt.conf for what is at mirror $2, suite
# $3: sources, or packages of Debian architecture $4 if that is given.
# Nothing of the system's hooks may run, they are about the system's state.
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

# Downloads packages into $partial.
download() {
	(cd "$partial" && apt_get download "$@")
}

# Prints the newest file in $partial that is called so, a pattern: an interrupted run may
# have left one of another version.
newest() {
	find "$partial" -name "$1" | sort -V | tail -n 1
}

# ask_suites ARCHITECTURE CANDIDATES [SUITES]: in each suite in turn, sources or packages as
# for `configure`, calls `take`, which is the script's own, until one has it. `take` may say
# in $why that one has not; else it is what apt says.
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

# What apt said first: the cause, later lines are about its consequences.
reason() {
	sed -n 's/^[EW]: *//p' "$1" | tr -s ' ' | head -n 1
}
