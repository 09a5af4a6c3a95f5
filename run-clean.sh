#!/usr/bin/env bash
# The one door to this project for people and for CI: it installs what the lock file asks for, then runs a command in an
# environment of its own. Promises: nothing of the caller's environment leaks in, nothing but loopback is reachable from
# Node, nothing outlives a run (a failed one keeps its files and says where), and signals and exit codes pass through.
set -euo pipefail
unset CDPATH

readonly oldest_node=22.19

usage() {
	cat <<'TEXT'
usage: ./run-clean.sh COMMAND [ARGUMENT…]

  demo [--json]        two real pi sessions: one works, the other looks at its context and sends it a message
  test [ARGUMENT…]     all tests, or what the arguments for vitest select
  check                format, lint, types, import directions, package contents
  coverage             the tests again, with the untested lines of lib/ and extension.ts listed
  bench [--json FILE]  the benchmarks, as a table
  matrix [--older]     the SDK-facing tests on every supported SDK, or on all but the newest
  torture [--minutes N] [--seed S] [--target T] [--soak]
                       every parser fuzzed and four real sessions soaked, for longer than in test
  exec CMD…            any command, in the same environment and in the caller's directory

CROSS_TEST_NODE=/path/to/node chooses the Node; it has to be 22.19 or newer.
TEXT
}

# A usage error or a machine that can't run this: exit code 2, so that it differs from a failed test.
refuse() {
	printf 'run-clean: %s\n' "$*" >&2
	exit 2
}

# The directory of this file, also when it was called through a link.
project_directory() {
	local file=${BASH_SOURCE[0]} target
	while [[ -L $file ]]; do
		target=$(readlink -- "$file")
		[[ $target == /* ]] || target=$(dirname -- "$file")/$target
		file=$target
	done
	cd -P -- "$(dirname -- "$file")" && pwd -P
}

# ---- one child at a time, which gets every signal that this script gets

child=
own_group=
caught=
interrupted=

forward() {
	caught=$1
	interrupted=yes
	[[ -n $child ]] || return 0
	# A terminal's own signals reached the child too, when it shares the terminal's group.
	[[ -n $own_group || $1 == HUP || $1 == TERM ]] || return 0
	kill -s "$1" -- "${own_group:+-}$child" 2>/dev/null || true
}

# Runs a command and returns its exit code. Away from a terminal it gets a process group of its own, which can be ended as
# a whole; at a terminal it stays in the terminal's group, which may read from it and which Ctrl-C reaches as a whole.
supervise() {
	local status
	own_group=
	[[ -t 0 ]] || own_group=yes
	[[ -z $own_group ]] || set -m
	# A background child of bash ignores SIGINT unless it is told otherwise, and has no standard input unless it is given.
	(
		trap - INT QUIT
		exec "$@"
	) <&0 &
	child=$!
	set +m
	[[ -z $caught ]] || forward "$caught"
	while :; do
		caught=
		status=0
		wait "$child" 2>/dev/null || status=$?
		[[ -n $caught ]] || break
	done
	# What the command left running would write into a directory that is going away.
	[[ -z $own_group ]] || kill -s KILL -- "-$child" 2>/dev/null || true
	child=
	return "$status"
}

# ---- installing, with the caller's own npm settings

# Installs a directory's packages unless they are what its lock file asks for already: a copy of it tells.
install() {
	local lock=$1/package-lock.json installed=$1/node_modules/.run-clean-installed
	! cmp -s -- "$lock" "$installed" || return 0
	printf 'run-clean: installing the packages of %s\n' "$1" >&2
	# On standard error: what a command prints on standard output is its own. A caller with NODE_ENV=production needs the
	# tools too.
	supervise npm ci --prefix "$1" --include=dev --loglevel=error >&2 || return
	if [[ $1 == "$project" ]]; then fill_npm_cache >&2 || return; fi
	cp -- "$lock" "$installed"
}

# A packed copy of this project is installed by tests, without a network: npm then finds the runtime dependencies here.
fill_npm_cache() {
	local packages
	packages=$(node -p 'Object.entries(require(process.argv[1]).dependencies).map((pair) => pair.join("@")).join(" ")' \
		"$project/package.json")
	mkdir -p "$npm_cache"
	# shellcheck disable=SC2086 # one word for each package
	supervise npm cache add $packages --cache "$npm_cache" --loglevel=error || return
	npm config get registry >"$npm_cache/registry"
}

# Prints where a Node that is new enough really is; a version manager's stand-in would not work without its settings.
new_enough() {
	"$1" -e '
		const [major, minor] = process.versions.node.split(".").map(Number);
		const [oldestMajor, oldestMinor] = process.argv[1].split(".").map(Number);
		if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) process.exit(1);
		console.log(process.execPath);
	' "$oldest_node" 2>/dev/null
}

# The Node that everything runs on: the caller's choice, else the machine's, else the one among the packages.
choose_node() {
	if [[ -n ${CROSS_TEST_NODE:-} ]]; then
		node=$(new_enough "$CROSS_TEST_NODE") ||
			refuse "CROSS_TEST_NODE is not a Node of $oldest_node or newer: $CROSS_TEST_NODE"
		return
	fi
	node=$(new_enough node) || node=$(new_enough "$project/node_modules/node/bin/node") ||
		refuse "the machine's Node is older than $oldest_node, and the package 'node' did not bring its binary: let npm" \
			"run install scripts (npm config get ignore-scripts), remove node_modules, and try again"
}

# ---- the private environment

make_private_root() {
	# Short, because the paths of Unix sockets are: 103 bytes on macOS.
	root=$(cd -P -- "$(mktemp -d /tmp/pcs.XXXXXX)" && pwd -P)
	trap 'leave $?' EXIT
	mkdir -m 700 "$root"/{bin,home,tmp,run,agent,peers}
	ln -s "$node" "$root/bin/node"
	ln -s "$(command -v npm)" "$root/bin/npm"
	[[ ! -d $npm_cache ]] || cp -R "$npm_cache" "$root/npm"
}

# The directories of peers' sockets lie outside of the root, because their place is fixed. The guard leaves a file for each
# that it let a process of this run make, so that no other is ever touched.
remove_peers_directories() {
	local mark name
	for mark in "$root"/peers/pi-peers-*; do
		name=${mark##*/}
		[[ $name =~ ^pi-peers-[0-9]+-[0-9a-f]{12}$ ]] || continue
		rm -rf -- "/tmp/$name"
	done
}

leave() {
	trap - EXIT
	remove_peers_directories
	if [[ $1 -eq 0 || -n $interrupted ]]; then
		chmod -R u+rwX "$root" 2>/dev/null || true
		rm -rf -- "$root"
	else
		printf 'run-clean: it failed (exit code %s); its files are in %s\n' "$1" "$root" >&2
	fi
	exit "$1"
}

# What Node loads before anything else, worker threads included (--import would miss some of those). The quotes are for
# NODE_OPTIONS itself: a path may have spaces.
preload_options() {
	local file
	for file in "$@"; do
		file=$project/test/support/$file
		file=${file//\\/\\\\}
		printf -- '--require "%s" ' "${file//\"/\\\"}"
	done
}

# Runs a command with nothing of the caller's environment.
run_private() {
	local options registry=
	options=$(preload_options network-guard.mjs ${preload:+"$preload"})
	[[ ! -f $npm_cache/registry ]] || registry=npm_config_registry=$(<"$npm_cache/registry")
	supervise env -i \
		PATH="$root/bin:$project/node_modules/.bin:/usr/bin:/bin" \
		HOME="$root/home" \
		TMPDIR="$root/tmp" \
		XDG_RUNTIME_DIR="$root/run" \
		XDG_CONFIG_HOME="$root/home/.config" \
		XDG_CACHE_HOME="$root/home/.cache" \
		XDG_DATA_HOME="$root/home/.local/share" \
		XDG_STATE_HOME="$root/home/.local/state" \
		LANG=C.UTF-8 \
		TERM=xterm-256color \
		PI_CODING_AGENT_DIR="$root/agent" \
		PI_OFFLINE=1 \
		CROSS_PRIVATE_ROOT="$root" \
		NODE_OPTIONS="$options" \
		npm_config_cache="$root/npm" \
		npm_config_offline=true \
		npm_config_update_notifier=false \
		${registry:+"$registry"} \
		"$@"
}

# ---- the commands

# What each command runs; exec and bench name files relative to where the caller is, all others run in the project.
command=${1:-}
[[ $# -eq 0 ]] || shift
script=
preload=
case $command in
demo) script=test/demo/demo.ts ;;
bench) script=test/bench/bench.ts ;;
torture) script=test/torture/torture.ts ;;
check) script=test/check/check.ts ;;
matrix)
	script=test/sdk/matrix.ts
	preload=sdk-hook.mjs
	;;
coverage) preload=jiti-coverage.mjs ;;
test) ;;
exec) [[ $# -gt 0 ]] || refuse "exec needs a command to run" ;;
help | -h | --help | "")
	usage
	exit 0
	;;
*)
	usage >&2
	refuse "unknown command: '$command'"
	;;
esac

project=$(project_directory)
npm_cache=$project/node_modules/.run-clean-npm
[[ -z $script || -f $project/$script ]] || refuse "$command is not there yet: it would run $script"
for tool in node npm; do
	command -v "$tool" >/dev/null || refuse "$tool is not on the PATH"
done
for signal in HUP INT QUIT TERM; do
	# shellcheck disable=SC2064 # the signal's name as it is now
	trap "forward $signal" "$signal"
done

install "$project"
[[ $command != matrix ]] || install "$project/test/sdk"
choose_node
make_private_root
[[ $command == exec || $command == bench ]] || cd -- "$project"

case $command in
exec) run_private "$@" ;;
test) run_private vitest run "$@" ;;
coverage) run_private c8 vitest run "$@" ;;
check | matrix) run_private node "$project/$script" "$@" ;;
demo | bench | torture) run_private tsx "$project/$script" "$@" ;;
esac
