#!/usr/bin/env bash
# Installs a build tree, moves the result elsewhere, and uses it as users do: by find_package and by pkg-config.
#
#   consumer_test.sh BUILD_DIR COMPILER
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build_dir=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

echo "== install"
cmake --install "$build_dir" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; fail install; }
mv "$work/first" "$work/moved here"
prefix="$work/moved here"
if grep -rIlF -e "$source_dir" -e "$build_dir" -e "$work/first" "$prefix/lib/cmake" "$prefix/lib/pkgconfig" "$prefix/include"; then
    fail "these installed files name a folder of the machine that built them"
fi

echo "== find_package"
cmake -S "$source_dir/tests/project/consumer" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion" >"$work/log" 2>&1 || { cat "$work/log"; fail configure; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; fail build; }
"$work/build/consumer" | tee "$work/answer"

echo "== pkg-config"
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
[[ $(pkg-config --modversion graze) == "$("$work/build/consumer" --version)" ]] || fail "pkg-config has another version"
# pkg-config escapes the blank of the folder's name; eval reads it back.
eval "flags=($(pkg-config --cflags --libs graze))"
libraries=$(pkg-config --variable=libdir graze)
"$compiler" -std=c++20 -O1 "$source_dir/tests/project/consumer/main.cpp" "${flags[@]}" -Wl,-rpath,"$libraries" -o "$work/by_pkg_config"
"$work/by_pkg_config" | cmp - "$work/answer" || fail "the two consumers differ"

# A user may compile for a newer machine than the library was built for: layouts and answers must be the same.
if grep -q -w avx2 /proc/cpuinfo && grep -q -w fma /proc/cpuinfo; then
    echo "== pkg-config, with -mavx2 -mfma"
    "$compiler" -std=c++20 -O2 -mavx2 -mfma "$source_dir/tests/project/consumer/main.cpp" "${flags[@]}" -Wl,-rpath,"$libraries" \
        -o "$work/newer"
    "$work/newer" | cmp - "$work/answer" || fail "a consumer compiled for AVX2 differs"
fi
