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

# A box that grows wider from pose to pose.
mkdir "$folder/shapes"
for i in 1 2 3; do
    cat >"$folder/shapes/box_$i.off" <<END
OFF
8 12 0
-1 -$i -1
1 -$i -1
1 $i -1
-1 $i -1
-1 -$i 1
1 -$i 1
1 $i 1
-1 $i 1
3 0 2 1
3 0 3 2
3 4 5 6
3 4 6 7
3 0 1 5
3 0 5 4
3 1 2 6
3 1 6 5
3 2 3 7
3 2 7 6
3 3 0 4
3 3 4 7
END
done
printf '0 0 0 0 0 0 0 1\n1 5 0 0 0 0 0 1\n2 10 0 0 0 0 0 1\n' >"$folder/path.tum"
printf 'x,y,z\n2,1.05,0\n5,-2.9,0\n9,3.05,0.5\n4,4,0\n' >"$folder/scan.csv"
"$graze" clearance "$folder/scan.csv" --path "$folder/path.tum" --model "$folder/shapes" --report "$folder/shapes.html" \
    --quiet || status=$?
[[ $status == 1 ]] || { echo "the box should not fit: exit code $status"; exit 1; }

GRAZE_REPORT=$folder/report.html GRAZE_SHAPES_REPORT=$folder/shapes.html GRAZE_NODE_MODULES=$modules GRAZE_CHROMIUM=$browser HOME=$folder \
    timeout 280 node --test "$source/viewer/test/report.test.mjs"
