# shellcheck shell=bash disable=SC2034
# Shared by the scripts of tools/: where the project is, and how to stop with one clear line.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
tool=$(basename "$0")
# One compiler cache for every clone and worktree: paths below the project are kept as relative ones. With PARALLAX_UNITY
# clones share less, because CMake lists the files that are compiled together by absolute paths. CCACHE_DEPEND takes the
# headers from the compiler's own list instead of running the preprocessor once more.
export CCACHE_BASEDIR=${CCACHE_BASEDIR-$project} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1

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
# configure PRESET [ARGUMENT...]: a first build takes its files several at once; the release has the instruction
# sets of this machine, which cannot test others.
configure() {
  local preset=$1 unity=() sets=() version
  version=$(${CXX:-g++} -dumpfullversion -dumpversion 2>/dev/null) ||
    fail "no C++ compiler ${CXX:-g++}: ${CXX:+name one in CXX that is installed, or unset CXX and }run tools/setup"
  ((${version%%.*} >= 11)) || fail "${CXX:-g++} $version is too old for C++20: set CXX to GCC 11 or Clang 16, or newer ones"
  [[ -e $project/build/$preset/CMakeCache.txt ]] || unity=(-D PARALLAX_UNITY=ON)
  [[ $preset != release ]] || sets=(-D PARALLAX_INSTRUCTION_SETS=RUNNABLE)
  cmake --preset "$preset" "${unity[@]}" "${sets[@]}" "${@:2}" ||
    fail "configuring the preset '$preset' failed: run cmake --preset $preset"
}
# num_jobs [MEMINFO LIMIT]: one job for each core, but no more than there is memory for: the largest files take
# 1.3 GB each, and a container may limit memory.
num_jobs() {
  local limit=${2-/sys/fs/cgroup/memory.max}
  [[ -r $limit ]] || limit=/dev/null
  awk -v cores="$(nproc)" '
    /^MemAvailable/ { kb = $2 }
    /^[0-9]+$/ && $1 / 1024 < kb { kb = $1 / 1024 }
    END { jobs = int(kb / 1.3e6); print jobs < 1 ? 1 : jobs < cores ? jobs : cores }' "${1-/proc/meminfo}" "$limit"
}
# build PRESET [ARGUMENT...]: builds, prints the minutes left from time to time, and passes the compiler's errors on.
# Ends with the remedy where the machine is at fault.
build() {
  local free_mb line shown=$SECONDS start=$SECONDS num_built num_steps folder=$project/build/$1 remedy=''
  free_mb=$(df --output=avail -m "$folder" | tail -n 1)
  ((free_mb > 3000)) || say "only $free_mb MB are free in $folder: a build with its tests takes 3000 MB" >&2
  NINJA_STATUS='@%f/%t ' cmake --build --preset "$1" -j "$(num_jobs)" "${@:2}" 2>&1 | {
    while IFS= read -r line; do
      case $line in
        *'No space left on device'*) remedy="no space is left: free 3000 MB in $folder and ${TMPDIR:-/tmp}, and start again" ;;
        *'Killed signal'* | *'virtual memory exhausted'* | *'out of memory'*)
          remedy="memory ran out: end other programs, or build one file at a time: cmake --build build/$1 -j 1" ;;
      esac
      if [[ ! $line =~ ^@([0-9]+)/([0-9]+)' ' ]]; then
        printf '%s\n' "$line"
      elif ((SECONDS >= shown + 15 && BASH_REMATCH[1] > 0)); then
        shown=$SECONDS num_built=${BASH_REMATCH[1]} num_steps=${BASH_REMATCH[2]}
        say "built $num_built of $num_steps steps, minutes left: about $(((SECONDS - start) * (num_steps - num_built) / num_built / 60 + 1))"
      fi
    done
    [[ -z $remedy ]] || say "$remedy" >&2
  } || fail "the build of the preset '$1' failed"
}
