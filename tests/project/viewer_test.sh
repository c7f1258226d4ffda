#!/usr/bin/env bash
# viewer_test.sh BUILD_TREE SOURCE_TREE: makes a report of a small tunnel and clicks through it in Chromium.
#
# Exits with 77 (skipped) where graze was built without the viewer or there is no browser. GRAZE_SCREENSHOTS names a folder
# for pictures of every step.
set -euo pipefail
build=$(realpath "$1") source=$(realpath "$2")
graze=$build/bin/graze
modules=$build/apps/graze/viewer
browser=${GRAZE_CHROMIUM:-$(command -v chromium || true)}
[[ -s $build/apps/graze/viewer.js ]] || { echo "graze was built without the viewer"; exit 77; }
[[ -n $browser ]] || { echo "there is no chromium"; exit 77; }
command -v node >/dev/null || { echo "there is no node"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$graze" generate tunnel --points 300k -o "$folder/tunnel" --quiet
status=0
"$graze" clearance "$folder/tunnel/scan.las" --path "$folder/tunnel/track.tum" --vehicle "$folder/tunnel/vehicle.json" \
    --report "$folder/report.html" --quiet || status=$?
[[ $status == 1 ]] || { echo "the wagon should not fit: exit code $status"; exit 1; }
GRAZE_REPORT=$folder/report.html GRAZE_NODE_MODULES=$modules GRAZE_CHROMIUM=$browser HOME=$folder \
    timeout 280 node --test --test-timeout=250000 "$source/viewer/test/report.test.mjs"
