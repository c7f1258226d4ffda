# The install tree: headers, one library, find_package(graze), pkg-config, and Debian packages made of the same parts.

include(CMakePackageConfigHelpers)

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/graze")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/graze" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    COMPONENT development FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_BINARY_DIR}/include/graze/version.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/graze"
    COMPONENT development)
install(TARGETS graze EXPORT graze-targets
    ARCHIVE COMPONENT development
    LIBRARY COMPONENT program NAMELINK_COMPONENT development)
if(TARGET graze_cli)
    install(TARGETS graze_cli RUNTIME COMPONENT program)
    if(GRAZE_SHARE)
        install(FILES "${GRAZE_SHARE}/graze.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT program)
        install(FILES "${GRAZE_SHARE}/graze" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
            COMPONENT program)
        # zsh looks in the first for installations below /usr/local, in the second for Debian packages.
        foreach(folder site-functions vendor-completions)
            install(FILES "${GRAZE_SHARE}/_graze" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/${folder}" COMPONENT program)
        endforeach()
        install(FILES "${GRAZE_SHARE}/graze.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
            COMPONENT program)
    endif()
endif()

# A program needs the dependencies of a static library, but not those of a shared one.
if(BUILD_SHARED_LIBS)
    set(GRAZE_IS_STATIC OFF)
    set(GRAZE_PC_REQUIRES "eigen3")
    set(GRAZE_PC_REQUIRES_PRIVATE "libhwy, tbb, fmt, qhull_r, pugixml, proj, zlib")
else()
    set(GRAZE_IS_STATIC ON)
    set(GRAZE_PC_REQUIRES "eigen3, libhwy, tbb, fmt, qhull_r, pugixml, proj, zlib")
    set(GRAZE_PC_REQUIRES_PRIVATE "")
endif()

install(EXPORT graze-targets NAMESPACE graze:: DESTINATION "${config_dir}" COMPONENT development)
configure_package_config_file(cmake/graze-config.cmake.in "${PROJECT_BINARY_DIR}/graze-config.cmake"
    INSTALL_DESTINATION "${config_dir}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/graze-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/graze-config.cmake" "${PROJECT_BINARY_DIR}/graze-config-version.cmake"
    DESTINATION "${config_dir}" COMPONENT development)

# The .pc file derives its prefix from its own location, so the tree can be moved.
file(RELATIVE_PATH GRAZE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" GRAZE_PC_PREFIX "${GRAZE_PC_PREFIX}")
configure_file(cmake/graze.pc.in "${PROJECT_BINARY_DIR}/graze.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/graze.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

if(PROJECT_IS_TOP_LEVEL)
    set(CPACK_GENERATOR DEB)
    set(CPACK_PACKAGE_VENDOR "The graze authors")
    set(CPACK_PACKAGE_CONTACT "The graze authors <graze@localhost>")
    set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
    set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
    set(CPACK_STRIP_FILES ON)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME graze)
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libgraze-dev)
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
        "libeigen3-dev (>= 3.4), libhwy-dev (>= 1.0), libtbb-dev (>= 2021), libfmt-dev (>= 9), libqhull-dev, libpugixml-dev (>= 1.13), libproj-dev (>= 9), zlib1g-dev")
    include(CPack)
    cpack_add_component(program DESCRIPTION "The command line of graze")
    cpack_add_component(development DESCRIPTION "Headers and library of graze")
endif()
