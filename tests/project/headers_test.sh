#!/usr/bin/env bash
# Every public header compiles alone, with nothing but Eigen beside it, under the warnings of the project.
#
#   headers_test.sh BUILD_DIR COMPILER EIGEN_INCLUDE_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build_dir=$1 compiler=$2 eigen=$3
export build_dir compiler eigen

check() {
    echo "#include \"$1\"" | "$compiler" -x c++ -std=c++20 -fsyntax-only -Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
        -Iinclude -I"$build_dir/include" -isystem "$eigen" - || { echo "FAILED: $1 does not stand alone" >&2; return 1; }
}
export -f check
(cd include && find graze -name '*.h' | sort) | xargs -P 2 -I{} bash -c 'check "$1"' _ {}
