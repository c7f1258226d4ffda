# The rooms of graze, in include order: a room may include those before it in this list and itself, nothing else
# (tests/project/include_order.py checks it). io may include all of them and is included by clients only.
set(GRAZE_ROOMS base shape index geometry query scene map robot clearance io)

# What every room compiles with. Only Eigen appears in public headers; the rest stays behind them.
add_library(graze_dependencies INTERFACE)
target_link_libraries(graze_dependencies INTERFACE Eigen3::Eigen hwy::hwy TBB::tbb fmt::fmt Qhull::qhull_r)
target_include_directories(graze_dependencies INTERFACE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_compile_features(graze_dependencies INTERFACE cxx_std_20)

# graze_room(<name> [DEPENDS <rooms>…])
#
# Makes the target graze_<name> from src/<name>/**.cpp and include/graze/<name>/**.h. New files are found by themselves.
# A room that has headers only is an INTERFACE library, a room that has nothing yet is no target at all.
function(graze_room name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS
        "${PROJECT_SOURCE_DIR}/src/${name}/*.h" "${PROJECT_SOURCE_DIR}/include/graze/${name}/*.h")
    if(sources)
        add_library(graze_${name} OBJECT ${sources} ${headers})
        set(scope PUBLIC)
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
