#!/usr/bin/env bash
# cached_compile.sh CCACHE SOURCE_DIR RELATIVE COMPILER ARGUMENT…: compiles through ccache so that clones share the cache.
#
# Paths below SOURCE_DIR become relative ones (RELATIVE leads from the build folder to the sources): the same command in
# every clone. Precompiled headers contain absolute paths and are not cached. Beside each is a checksum of everything that
# went into it, which ccache uses instead (CCACHE_PCH_EXTSUM).
set -euo pipefail
ccache=$1 source=$2 relative=$3
shift 3

output='' dependencies='' precompiles=''
arguments=()
while (( $# )); do
    case $1 in
        -o) output=$2 ;;
        -MF) dependencies=$2 ;;
        c++-header) precompiles=yes ;;
    esac
    case $1 in
        "$source"/* ) arguments+=("$relative/${1#"$source"/}") ;;
        -I"$source") arguments+=("-I$relative") ;;
        -I"$source"/* ) arguments+=("-I$relative/${1#-I"$source"/}") ;;
        *) arguments+=("$1") ;;
    esac
    shift
done

if [[ -z $precompiles ]]; then
    export CCACHE_PCH_EXTSUM=1 CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    exec "$ccache" "${arguments[@]}"
fi
"${arguments[@]}"
sed -e '1s/^[^:]*://' -e 's/\\$//' "$dependencies" | xargs cat | sha256sum >"$output.sum"
