#!/usr/bin/env python3
"""Asks Open3D's RaycastingScene, on one thread, what bench_points_in_meshes asks graze.

    points_in_meshes_open3d.py FOLDER

reads vertices.f64, triangles.u32, contains.f64, distance.f64 and rays.f64 from the folder (rows of three or six
numbers) and writes the answers as contains.f32, distance.f32 and rays.f32 and, last, times.json: nanoseconds of CPU per
question, of the fastest round. Needs only the core of Open3D.
"""
import json
import sys
import time
import types
from pathlib import Path

# These import packages that are not needed here.
for name in ("open3d.visualization", "open3d.ml"):
    sys.modules[name] = types.ModuleType(name)

import numpy as np  # noqa: E402
import open3d as o3d  # noqa: E402

ROUNDS = 5


def fastest(work, count):
    work()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        result = work()
        best = min(best, time.process_time_ns() - start)
    return result.numpy().astype(np.float32), best / count


def main():
    folder = Path(sys.argv[1])
    vertices = np.fromfile(folder / "vertices.f64").reshape(-1, 3).astype(np.float32)
    triangles = np.fromfile(folder / "triangles.u32", dtype=np.uint32).reshape(-1, 3)
    scene = o3d.t.geometry.RaycastingScene(nthreads=1)
    scene.add_triangles(o3d.core.Tensor(vertices), o3d.core.Tensor(triangles))
    asked = {
        "contains": (3, lambda q: scene.compute_occupancy(q, nthreads=1)),
        "distance": (3, lambda q: scene.compute_signed_distance(q, nthreads=1)),
        "rays": (6, lambda q: scene.cast_rays(q, nthreads=1)["t_hit"]),
    }
    times = {"version": o3d.__version__}
    for name, (width, ask) in asked.items():
        rows = np.fromfile(folder / f"{name}.f64").reshape(-1, width).astype(np.float32)
        query = o3d.core.Tensor(rows)
        answers, times[name] = fastest(lambda: ask(query), len(rows))
        answers.tofile(folder / f"{name}.f32")
    (folder / "times.json").write_text(json.dumps(times))


if __name__ == "__main__":
    main()
