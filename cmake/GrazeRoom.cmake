# The rooms of graze, in include order: a room may include those before it in this list and itself, nothing else
# (tests/project/include_order.py checks it). io may include all of them and is included by clients only.
set(GRAZE_ROOMS base shape index motion geometry query scene map robot clearance io)

# What every room compiles with. Only Eigen appears in public headers; the rest stays behind them. nlohmann-json is
# header-only, so programs that link graze do not need it.
find_package(nlohmann_json 3.11 REQUIRED CONFIG)
add_library(graze_dependencies INTERFACE)
target_link_libraries(graze_dependencies INTERFACE
    Eigen3::Eigen hwy::hwy TBB::tbb fmt::fmt Qhull::qhull_r pugixml::pugixml PROJ::proj ZLIB::ZLIB nlohmann_json::nlohmann_json)
target_include_directories(graze_dependencies INTERFACE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_compile_features(graze_dependencies INTERFACE cxx_std_20)

# graze_pch(<target> <kind> <libraries> <headers…>): an empty target that owns a precompiled header, to be shared by all
# targets that are compiled with the same options. Kind is OBJECT for parts of libraries, EXECUTABLE for programs, since
# the two differ in position-independent code.
function(graze_pch target kind)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBRARIES;HEADERS")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
    if(kind STREQUAL "EXECUTABLE")
        file(CONFIGURE OUTPUT "${source}" CONTENT "int main() {}\n")
        add_executable(${target} "${source}")
        set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/pch")
    else()
        file(CONFIGURE OUTPUT "${source}" CONTENT "\n")
        add_library(${target} OBJECT "${source}")
    endif()
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
    target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

# graze_use_pch(<target> <owner>)
function(graze_use_pch target owner)
    if(GRAZE_PCH)
        target_precompile_headers(${target} REUSE_FROM ${owner})
    endif()
endfunction()

# graze_unity(<list> <name> <size> <folder>): replaces the sources in the list by generated ones that include <size> of them
# each, by their paths below the folder, so that the headers they share are read once. Sources that compile themselves once
# per instruction set stay alone, and so do those that instantiate a class of which others instantiate more. Sources in one
# unit share their unnamed namespaces: names in these must differ from file to file.
function(graze_unity list name size folder)
    if(NOT GRAZE_UNITY)
        return()
    endif()
    set(result "")
    set(batch "")
    set(batches 0)
    set(in_batch 0)
    foreach(source IN LISTS ${list} ITEMS "")
        set(alone "")
        if(source)
            file(STRINGS "${source}" alone REGEX "foreach_target.h|^template class" LIMIT_COUNT 1)
        endif()
        if(alone)
            list(APPEND result "${source}")
        elseif(source)
            file(RELATIVE_PATH path "${folder}" "${source}")
            string(APPEND batch "#include \"${path}\"\n")
            math(EXPR in_batch "${in_batch} + 1")
        endif()
        if(batch AND (in_batch EQUAL size OR NOT source))
            set(file "${CMAKE_CURRENT_BINARY_DIR}/unity/${name}_${batches}.cpp")
            file(CONFIGURE OUTPUT "${file}" CONTENT "${batch}" @ONLY)
            if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # which treats an included file as a header
                set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS -Wno-subobject-linkage)
            endif()
            list(APPEND result "${file}")
            math(EXPR batches "${batches} + 1")
            set(batch "")
            set(in_batch 0)
        endif()
    endforeach()
    set(${list} ${result} PARENT_SCOPE)
endfunction()

set(GRAZE_PCH_HEADERS
    <Eigen/Core> <Eigen/Geometry>
    <algorithm> <array> <cmath> <cstdint> <functional> <limits> <optional> <span> <string> <utility> <variant> <vector>)
if(GRAZE_PCH)
    graze_pch(graze_room_pch OBJECT LIBRARIES graze_dependencies HEADERS ${GRAZE_PCH_HEADERS})
endif()

# graze_room(<name> [UNITY] [DEPENDS <rooms>…])
#
# Makes the target graze_<name> from src/<name>/**.cpp and include/graze/<name>/**.h. New files are found automatically.
# A room with headers only is an INTERFACE library; an empty room has no target. UNITY is for rooms of many small files, whose
# headers take longer to compile than they do.
function(graze_room name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "UNITY" "" "DEPENDS")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS
        "${PROJECT_SOURCE_DIR}/src/${name}/*.h" "${PROJECT_SOURCE_DIR}/include/graze/${name}/*.h")
    if(sources)
        if(arg_UNITY)
            graze_unity(sources ${name} 4 "${PROJECT_SOURCE_DIR}/src")
        endif()
        add_library(graze_${name} OBJECT ${sources} ${headers})
        graze_use_pch(graze_${name} graze_room_pch)
        set(scope PUBLIC)
        if(GRAZE_FUZZING)
            # Readers also trace comparisons, which lead libFuzzer through formats but slow down everything else.
            set(io_only $<$<STREQUAL:${name},io>:,trace-cmp,indirect-calls>)
            target_compile_options(graze_${name} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table${io_only})
        endif()
        set_property(GLOBAL APPEND PROPERTY GRAZE_COMPILED_ROOMS graze_${name})
    elseif(headers)
        add_library(graze_${name} INTERFACE)
        set(scope INTERFACE)
    else()
        return()
    endif()
    target_link_libraries(graze_${name} ${scope} graze_dependencies)
    foreach(dependency IN LISTS arg_DEPENDS)
        if(TARGET graze_${dependency})
            target_link_libraries(graze_${name} ${scope} graze_${dependency})
        endif()
    endforeach()
endfunction()
