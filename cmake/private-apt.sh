# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# Read by the scripts that fetch Debian packages: apt with a state directory of
# its own in the user's cache, so neither the system's sources nor its package
# lists change, and no root is needed. The mirrors are those that the system's
# apt is configured with. apt checks what it downloads against the signed index.

# shellcheck disable=SC2034 # for who reads this
cache=${XDG_CACHE_HOME:-$HOME/.cache}/patchbay

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

# Waits until nobody else fetches $1: of two, one would take away what the other is
# about to unpack. What was fetched meanwhile is there, so look again.
alone() {
	exec 9>"$cache/partial/$1.lock"
	flock 9
}

# What apt said first: the cause, later lines are about its consequences.
reason() {
	sed -n 's/^[EW]: *//p' "$1" | tr -s ' ' | head -n 1
}
