# shellcheck shell=bash disable=SC2034
# Shared by the scripts of tools/: where the project is, and how to stop with one clear line.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
tool=$(basename "$0")
# One compiler cache for every clone and worktree: paths below the project are kept as relative ones.
export CCACHE_BASEDIR=${CCACHE_BASEDIR-$project} CCACHE_NOHASHDIR=1

say() { printf '%s: %s\n' "$tool" "$*"; }
fail() {
  printf '%s: %s\n' "$tool" "$*" >&2
  exit 1
}
# usage_error TEXT: wrong command line.
usage_error() {
  printf '%s: %s\n' "$tool" "$*" >&2
  exit 2
}
# show_help FILE: the comment at its top.
show_help() {
  awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$1"
  exit 0
}
# configure PRESET [ARGUMENT...]: a first build takes its files several at once.
configure() {
  local preset=$1 unity=()
  [[ -e $project/build/$preset/CMakeCache.txt ]] || unity=(-D PARALLAX_UNITY=ON)
  cmake --preset "$preset" "${unity[@]}" "${@:2}" ||
    fail "configuring the preset '$preset' failed: run cmake --preset $preset"
}
num_jobs() { nproc 2>/dev/null || echo 2; }
