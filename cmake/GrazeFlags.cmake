# Flags that every target of this build shares, and the sanitizers.
#
# Promise P4 (the same answer everywhere) rests on two rules that hold in every build: floating-point contraction is
# off, and no target asks for the instruction set of the machine it is built on. SIMD is dispatched at run time.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# The library can be linked into a shared object (a Python module, for one) without paying for interposition: with
# position-independent code alone GCC would neither inline nor clone across exported functions of one file.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-ffp-contract=off -fno-semantic-interposition)

# GCC 12 drops the rounding of double(float(x)) where it vectorises two adjacent conversions, and the error is then stated as
# 0. See docs/adr/0005 and tests/base/rounding_test.cpp.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fno-tree-slp-vectorize)
endif()

if(PROJECT_IS_TOP_LEVEL)
    add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
endif()

if(GRAZE_SANITIZE STREQUAL "address")
    # AddressSanitizer already checks null pointers and object sizes.
    set(sanitizers -fsanitize=address,undefined,float-cast-overflow -fno-sanitize=null,object-size,vptr
        -fno-sanitize-recover=all)
elseif(GRAZE_SANITIZE STREQUAL "thread")
    set(sanitizers -fsanitize=thread)
elseif(NOT GRAZE_SANITIZE STREQUAL "")
    message(FATAL_ERROR "GRAZE_SANITIZE is '${GRAZE_SANITIZE}'; it must be empty, address or thread")
endif()
if(GRAZE_SANITIZE)
    add_compile_options(${sanitizers} -fno-omit-frame-pointer -g1)
    add_link_options(${sanitizers})
endif()

# With clang the AddressSanitizer build also fuzzes: libFuzzer sees which branches of the library ran.
if(GRAZE_SANITIZE STREQUAL "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(GRAZE_FUZZING ON)
else()
    set(GRAZE_FUZZING OFF)
endif()

# SIMD is compiled for AVX-512, AVX2, SSE4 and scalar; answers do not depend on which, and the release build tests that.
# Sanitized builds compile less: scalar and, where memory is checked, AVX2, which every machine of the last decade has.
# (With AVX-512 alone, machines without it ran the tests in emulated lanes, ten times as slow.) GRAZE_SANITIZED makes
# them inline less and share the solvers of pairs.
if(GRAZE_SANITIZE STREQUAL "")
    add_compile_definitions("HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_AVX3_DL)")
elseif(GRAZE_SANITIZE STREQUAL "address")
    add_compile_definitions("HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_DL)" GRAZE_SANITIZED=1)
else()
    add_compile_definitions(HWY_COMPILE_ONLY_SCALAR GRAZE_SANITIZED=1)
endif()

if(GRAZE_COVERAGE)
    add_compile_options(--coverage -g)
    add_link_options(--coverage)
endif()

# A compiler cache is used if there is one, set up so that clones of the project can share it.
find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    file(RELATIVE_PATH to_sources "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
    string(REGEX REPLACE "/$" "" to_sources "${to_sources}")
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${PROJECT_SOURCE_DIR}/cmake/cached_compile.sh" "${CCACHE_PROGRAM}" "${PROJECT_SOURCE_DIR}" "${to_sources}")
endif()
