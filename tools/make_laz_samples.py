#!/usr/bin/env python3
"""Writes the files that tests/io/laz_test.cpp reads, with LASzip and lazrs from PyPI: the same points as LAS and as LAZ.

    python3 -m venv /tmp/laz && /tmp/laz/bin/pip install laspy laszip lazrs numpy
    /tmp/laz/bin/python tools/make_laz_samples.py tests/io/laz

The files are part of the repository; nothing but this tool needs the packages.
"""
import sys

import laspy
import laspy._compression.lazrsbackend as backend
import lazrs
import numpy as np

FORMATS = {0: 1.2, 3: 1.2, 5: 1.3, 6: 1.4, 8: 1.4, 10: 1.4}
POINTS = 160


def points_of(kind, version):
    """Paths of several sweeps with noise, repeats and jumps, so that every model and context of LAZ is used."""
    random = np.random.default_rng(kind)
    header = laspy.LasHeader(point_format=kind, version=str(version))
    header.scales, header.offsets = [0.001, 0.01, 1e-5], [5e5, -3e6, 100.0]
    if kind in (3, 8):
        header.add_extra_dim(laspy.ExtraBytesParams(name="deviation", type=np.uint16))
        header.add_extra_dim(laspy.ExtraBytesParams(name="confidence", type=np.int8))
    las = laspy.LasData(header)
    wide = kind >= 6
    n = POINTS
    i = np.arange(n)

    def mixed(low, high, stay):
        """Values that stay as they are with some probability."""
        values = random.integers(low, high, n, endpoint=True)
        keep = random.random(n) < stay
        for k in range(1, n):
            if keep[k]:
                values[k] = values[k - 1]
        return values

    jump = random.random(n) < 0.05
    for axis, step in (("X", 700), ("Y", 90), ("Z", 12)):
        steps = random.integers(-step, step, n) + step // 3
        steps[jump] = random.integers(-(2**30), 2**30, int(jump.sum()))
        las[axis] = np.clip(np.cumsum(steps), -(2**31), 2**31 - 1).astype(np.int32)
    returns = mixed(1, 15 if wide else 7, 0.5)
    las.number_of_returns = returns
    las.return_number = np.maximum(1, np.minimum(returns, 1 + (i % np.maximum(returns, 1))))
    las.intensity = mixed(0, 65535, 0.4)
    las.classification = mixed(0, 255 if wide else 31, 0.7)
    las.user_data = mixed(0, 255, 0.8)
    las.point_source_id = mixed(0, 65535, 0.9)
    las.scan_direction_flag = mixed(0, 1, 0.9)
    las.edge_of_flight_line = mixed(0, 1, 0.9)
    las.synthetic = mixed(0, 1, 0.9)
    las.withheld = mixed(0, 1, 0.9)
    if wide:
        las.scanner_channel = mixed(0, 3, 0.6)
        las.overlap = mixed(0, 1, 0.9)
        las.scan_angle = mixed(-30000, 30000, 0.5)
    else:
        las.scan_angle_rank = mixed(-90, 90, 0.5)
    if "gps_time" in las.point_format.dimension_names:
        times = 1e5 + np.cumsum(np.where(random.random(n) < 0.3, 0, 1.25e-5 * random.integers(0, 40, n)))
        times[jump] += random.uniform(-1e9, 1e9, int(jump.sum()))
        las.gps_time = np.where(random.random(n) < 0.1, times - 777, times)
    for name in ("red", "green", "blue", "nir"):
        if name in las.point_format.dimension_names:
            las[name] = mixed(0, 65535, 0.5)
    if "red" in las.point_format.dimension_names:
        grey = random.random(n) < 0.3
        las.green = np.where(grey, las.red, las.green)
        las.blue = np.where(grey, las.red, las.blue)
    if "wavepacket_index" in las.point_format.dimension_names:
        size = mixed(0, 300, 0.5)
        offset = np.concatenate(([60], 60 + np.cumsum(size[:-1])))
        offset[random.random(n) < 0.2] += 17
        offset[jump] += 2**40
        las.wavepacket_index, las.wavepacket_size, las.wavepacket_offset = mixed(0, 255, 0.8), size, offset
        las.return_point_wave_location = random.normal(0, 1e4, n).astype(np.float32)
        for axis in "xyz":
            las[axis + "_t"] = random.normal(0, 1e-3, n).astype(np.float32)
    if kind in (3, 8):
        las.deviation = mixed(0, 65535, 0.7)
        las.confidence = mixed(-128, 127, 0.7)
    return las


class VariableChunks:
    """lazrs, but with chunks that end where their writer says."""

    class LazVlr:
        @staticmethod
        def new_for_compression(kind, extra_bytes):
            return lazrs.LazVlr.new_for_compression(kind, extra_bytes, True)

    def __getattr__(self, name):
        return getattr(lazrs, name)


def write_in_chunks(las, path, counts):
    backend.lazrs = VariableChunks()
    with laspy.open(path, mode="w", header=las.header, laz_backend=laspy.LazBackend.Lazrs) as writer:
        first = 0
        for count in counts:
            writer.write_points(las.points[first : first + count])
            writer.point_writer.compressor.finish_current_chunk()
            first += count
    backend.lazrs = lazrs


for kind, version in FORMATS.items():
    las = points_of(kind, version)
    las.write(f"{sys.argv[1]}/format_{kind}.las")
    las.write(f"{sys.argv[1]}/format_{kind}.laz", laz_backend=laspy.LazBackend.Laszip)
    if kind == 6:
        write_in_chunks(las, f"{sys.argv[1]}/chunks_6.laz", [40, 1, 79, 40])
