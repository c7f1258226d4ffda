#!/usr/bin/env bash
# viewer_test.sh BUILD_TREE SOURCE_TREE: makes a report of a small tunnel, a map, scenes
# and a motion, and clicks through them in Chromium.
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

# box FILE HALF_WIDTH BOTTOM TOP: 2 m long.
box() {
    {
        printf 'OFF\n8 12 0\n'
        for z in "$3" "$4"; do printf '%s\n' "-1 -$2 $z" "1 -$2 $z" "1 $2 $z" "-1 $2 $z"; done
        printf '3 %s\n' '0 2 1' '0 3 2' '4 5 6' '4 6 7' '0 1 5' '0 5 4' '1 2 6' '1 6 5' '2 3 7' '2 7 6' '3 0 4' '3 4 7'
    } >"$1"
}

# A box that grows wider from pose to pose.
mkdir "$folder/shapes"
for i in 1 2 3; do
    box "$folder/shapes/box_$i.off" "$i" -1 1
done
printf '0 0 0 0 0 0 0 1\n1 5 0 0 0 0 0 1\n2 10 0 0 0 0 0 1\n' >"$folder/path.tum"
printf 'x,y,z\n2,1.05,0\n5,-2.9,0\n9,3.05,0.5\n4,4,0\n' >"$folder/scan.csv"
"$graze" clearance "$folder/scan.csv" --path "$folder/path.tum" --model "$folder/shapes" --report "$folder/shapes.html" \
    --quiet || status=$?
[[ $status == 1 ]] || { echo "the box should not fit: exit code $status"; exit 1; }

# One point beside a path of 100 m, over a floor that ends halfway: a single bin, and a stretch not scanned.
box "$folder/cube.off" 1 0.5 2.5
printf '0 0 0 0 0 0 0 1\n1 100 0 0 0 0 0 1\n' >"$folder/straight.tum"
awk 'BEGIN { print "x,y,z"; print "30.5,1.05,1.5";
    for (x = -2; x < 60; x += 0.2) for (y = -4; y <= 4; y += 0.5) print x "," y ",0" }' >"$folder/floor.csv"
status=0
"$graze" clearance "$folder/floor.csv" --path "$folder/straight.tum" --model "$folder/cube.off" --report "$folder/lone.html" \
    --quiet || status=$?
[[ $status == 1 ]] || { echo "the cube should not pass the point: exit code $status"; exit 1; }

# A map of a floor below the sensor, with all kinds of cells.
awk 'BEGIN { print "x,y,z"; for (x = 0; x < 20; x += 0.2) for (y = -8; y <= 8; y += 0.2) print x "," y ",-1.6" }' >"$folder/below.csv"
printf '0 0 0 0 0 0 0 1\n' >"$folder/sensor.tum"
"$graze" map build "$folder/below.csv" --poses "$folder/sensor.tum" --resolution 0.25 --max-range 12 -o "$folder/floor.gmap" --quiet
"$graze" map show "$folder/floor.gmap" --free --unknown -o "$folder/map.html" --quiet

# Scenes with most kinds of geometry: one with collisions, one without, one far from the origin and small.
cat >"$folder/cell.json" <<JSON
{"objects": [
{"name": "bench", "shape": "box", "half": [1, 1, 0.5], "pose": {"xyz": [0, 0, 0.5]}},
{"name": "post", "shape": "cylinder", "radius": 0.2, "half_length": 0.6, "pose": {"xyz": [0.5, 0, 1.5]}},
{"name": "cap", "shape": "capsule", "radius": 0.2, "half_length": 0.4, "pose": {"xyz": [-2, 0, 1]}},
{"name": "hat", "shape": "cone", "radius": 0.4, "half_length": 0.5, "pose": {"xyz": [-2, 2, 1]}},
{"name": "egg", "shape": "ellipsoid", "radii": [0.5, 0.3, 0.2], "pose": {"xyz": [2, 2, 1]}},
{"name": "cube", "shape": "mesh", "file": "cube.off", "pose": {"xyz": [4, 0, 0]}},
{"name": "dots", "shape": "cloud", "points": [[0,0,0],[0.1,0,0],[0,0.1,0]], "radius": 0.1, "pose": {"xyz": [0, 3, 1]}},
{"name": "hill", "shape": "heightfield", "heights": [[0,1,0],[0,2,1]], "cell": [1, 1], "pose": {"xyz": [-4, -4, 0]}},
{"name": "cells", "shape": "map", "file": "floor.gmap", "unknown": "free", "pose": {"xyz": [0, 0, -5]}},
{"name": "wall", "shape": "plane", "normal": [0, 1, 0], "offset": 9}]}
JSON
status=0
"$graze" check "$folder/cell.json" --page "$folder/cell.html" >/dev/null || status=$?
[[ $status == 1 ]] || { echo "post and bench should collide: exit code $status"; exit 1; }
printf '%s' '{"objects": [
{"name": "a", "shape": "sphere", "radius": 1e-4, "pose": {"xyz": [1e4, 0, 0]}},
{"name": "b", "shape": "box", "half": [1e-4, 1e-4, 1e-4], "pose": {"xyz": [1e4, 0, 1e-3]}}]}' >"$folder/small.json"
"$graze" check "$folder/small.json" --page "$folder/small.html" >/dev/null
"$graze" sweep '{"shape":"box","half":[0.5,0.2,0.1],"motion":{"path":[{"xyz":[-3,0,0.5]},{"xyz":[-1,2,0.5]},{"xyz":[2,0,0.5]}]}}' \
    '{"shape":"cylinder","radius":0.3,"half_length":1,"pose":{"xyz":[1,0.5,0.2]}}' --page "$folder/motion.html" >/dev/null || status=$?
[[ $status == 1 ]] || { echo "the box should touch the cylinder: exit code $status"; exit 1; }

GRAZE_SCENE=$folder/cell.html GRAZE_SMALL_SCENE=$folder/small.html GRAZE_MOTION=$folder/motion.html \
    GRAZE_MAP=$folder/map.html GRAZE_LONE_REPORT=$folder/lone.html GRAZE_REPORT=$folder/report.html GRAZE_SHAPES_REPORT=$folder/shapes.html GRAZE_NODE_MODULES=$modules GRAZE_CHROMIUM=$browser HOME=$folder \
    timeout 280 node --test "$source/viewer/test/report.test.mjs" "$source/viewer/test/map.test.mjs" \
    "$source/viewer/test/scene.test.mjs"
