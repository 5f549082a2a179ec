# shellcheck shell=bash disable=SC2154
# Shared by tools/test_in_chroot and tools/test_packages: a clean Debian in a folder. Needs root and debootstrap.

# make_chroot RELEASE FOLDER [arm64]: once, with the smallest set of packages; of another processor by qemu.
make_chroot() {
  case $1 in
    '' | -* | */*) usage_error "'$1' is not a release of Debian; bookworm and trixie are" ;;
  esac
  ((EUID == 0)) || fail "a chroot needs root: sudo tools/$tool $1"
  command -v debootstrap >/dev/null || fail "no debootstrap: apt-get install debootstrap"
  [[ -z ${3-} || $(uname -m) == aarch64 || -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]] ||
    fail "this machine does not start programs of arm64: apt-get install qemu-user-static binfmt-support"
  [[ ! -e $2/made ]] || return 0
  say "making a chroot of Debian's $1 (a minute or two)"
  rm -rf "$2"
  mkdir -p "$2"
  debootstrap ${3:+--arch="$3"} --variant=minbase "$1" "$2" >"$2.log" 2>&1 || fail "debootstrap failed, see $2.log"
  mkdir -p "$2/data"
  echo '127.0.0.1 localhost' >"$2/etc/hosts"
  touch "$2/made"
}

# in_chroot ROOT FOLDER COMMAND...: in a folder of it. The mounts vanish with the process that made them; the folder
# that PARALLAX_DATA names is there as well, read-only.
in_chroot() {
  env root="$1" data="${PARALLAX_DATA-}" unshare --mount --pid --fork bash -c '
    set -e
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    [[ -z $data ]] || mount --bind -o ro "$data" "$root/data"
    exec chroot "$root" env -i -C "$1" HOME=/root XDG_RUNTIME_DIR=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      ${data:+PARALLAX_DATA=/data} LC_ALL=C.UTF-8 "${@:2}"' bash "${@:2}" </dev/null
}
