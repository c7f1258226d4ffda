#!/usr/bin/env bash
# The Debian packages can be made, hold what they should, and name what they need.
#
#   package_test.sh BUILD_DIR
set -euo pipefail
build_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

cpack --config "$build_dir/CPackConfig.cmake" -G DEB -B "$work" >"$work/log" 2>&1 || { cat "$work/log"; fail cpack; }
program=("$work"/graze_*.deb)
library=("$work"/libgraze-dev_*.deb)
[[ -e ${program[0]} && -e ${library[0]} ]] || { ls "$work"; fail "a package is missing"; }

# has FILE PATTERN
has() {
    local contents
    contents=$(dpkg-deb -c "$1")
    grep -q -E "$2" <<<"$contents" || { echo "$contents"; fail "$(basename "$1") lacks $2"; }
}
has "${program[0]}" ' \./usr/bin/graze$'
has "${program[0]}" ' \./usr/share/man/man1/graze\.1$'
has "${program[0]}" ' \./usr/share/bash-completion/completions/graze$'
has "${program[0]}" ' \./usr/share/zsh/vendor-completions/_graze$'
has "${program[0]}" ' \./usr/share/fish/vendor_completions\.d/graze\.fish$'
has "${library[0]}" ' \./usr/include/graze/graze\.h$'
has "${library[0]}" ' \./usr/include/graze/version\.h$'
has "${library[0]}" ' \./usr/lib/cmake/graze/graze-config\.cmake$'
has "${library[0]}" ' \./usr/lib/pkgconfig/graze\.pc$'
dpkg-deb -f "${library[0]}" Depends | grep -q libeigen3-dev || fail "libgraze-dev does not depend on Eigen"
dpkg-deb -f "${program[0]}" Depends | grep -q libc6 || fail "graze does not depend on libc6"
dpkg-deb -x "${program[0]}" "$work/root"
"$work/root/usr/bin/graze" --version
