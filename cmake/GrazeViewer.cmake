# Run as a script at build time: cmake -DSOURCE=<viewer> -DWORK=<folder> -DNPM=<npm> -DREQUIRED=<bool> -DOUTPUT=<js> -P …
#
# Builds the viewer of the reports with npm in a folder of the build tree. Without network or with a broken npm the output
# is empty and reports have no 3-D view, unless it is required.
function(give_up reason)
    if(REQUIRED)
        message(FATAL_ERROR "the viewer could not be built: ${reason} (see ${WORK}/npm.log)")
    endif()
    message(WARNING "reports will have no 3-D view: ${reason} (see ${WORK}/npm.log)")
    file(WRITE "${OUTPUT}" "")
endfunction()

file(MAKE_DIRECTORY "${WORK}")
file(WRITE "${WORK}/npm.log" "")
foreach(name package.json package-lock.json .npmrc tsconfig.json vite.config.ts src)
    file(COPY "${SOURCE}/${name}" DESTINATION "${WORK}")
endforeach()

# npm ci first removes what is installed, so it runs only when the lock file has changed.
file(SHA256 "${SOURCE}/package-lock.json" wanted)
set(installed "")
if(EXISTS "${WORK}/node_modules/.graze-lock")
    file(READ "${WORK}/node_modules/.graze-lock" installed)
endif()
if(NOT installed STREQUAL wanted)
    execute_process(COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund --prefer-offline
        WORKING_DIRECTORY "${WORK}" TIMEOUT 600 RESULT_VARIABLE failed
        OUTPUT_FILE "${WORK}/npm.log" ERROR_FILE "${WORK}/npm.log")
    if(failed)
        give_up("'npm ci' failed: ${failed}")
        return()
    endif()
    file(WRITE "${WORK}/node_modules/.graze-lock" "${wanted}")
endif()
foreach(step check build)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env GRAZE_VIEWER_OUT=${WORK}/dist "${NPM}" run --silent ${step}
        WORKING_DIRECTORY "${WORK}" TIMEOUT 600 RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
    file(APPEND "${WORK}/npm.log" "${log}")
    if(failed)
        # Not a network problem: an error in the sources must not pass as a missing viewer.
        message(FATAL_ERROR "the viewer could not be built: 'npm run ${step}' failed\n${log}")
    endif()
endforeach()
file(COPY_FILE "${WORK}/dist/viewer.js" "${OUTPUT}")
