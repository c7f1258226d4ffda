#!/usr/bin/env bash
# Every public header compiles alone, with nothing but Eigen beside it, under the warnings of the project.
#
#   headers_test.sh BUILD_DIR COMPILER EIGEN_INCLUDE_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build_dir=$1 compiler=$2 eigen=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c++20 -Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Iinclude -I"$build_dir/include" -isystem "$eigen")

# Eigen is most of the work. Headers that include one of graze's get it anyway, and get it precompiled here.
echo '#include <Eigen/Core>' >"$work/eigen.h"
"$compiler" -x c++-header "${flags[@]}" "$work/eigen.h" -o "$work/eigen.h.gch"

# check HEADER
check() {
    local eigen_first=()
    if grep -q -E '^#include ("graze/|<Eigen)' "include/$1"; then eigen_first=(-include "$work/eigen.h"); fi
    echo "#include \"$1\"" | "$compiler" -x c++ "${flags[@]}" "${eigen_first[@]}" -fsyntax-only - ||
        { echo "FAILED: $1 does not stand alone" >&2; return 1; }
}

failed=0
for header in $(cd include && find graze -name '*.h' | sort); do
    check "$header" || failed=1
done
exit $failed
