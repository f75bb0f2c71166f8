# SPDX-License-Identifier: MIT
"""The hanging cloth of ../c/cloth.c in Python."""
import numpy as np
import xpbd

N = 32
i = np.arange(N * N)
x = np.stack([i % N / N, 0 * i, i // N / N], axis=1).astype(np.float32)  # a square of 1 m, level
w = np.where((i == 0) | (i == N - 1), 0, 1000)  # 1/kg; pinned at two corners
pairs = np.stack([np.stack([i, i + 1], 1), np.stack([i, i + N], 1)], 1)
springs = pairs[np.stack([i % N < N - 1, i // N < N - 1], 1)]

with xpbd.World(substeps=20, iterations=1) as world:
    world.add_particles(x, inverse_mass=w)
    world.add_constraints("distance", springs, compliance=1e-6)  # m/N
    for _ in range(120):
        world.step(1 / 60)
    world.positions(out=x)  # into the array that is there
    y, state = x[N * N - N // 2, 1], world.hash()
    print(f"after 2 s the middle of the lower edge is at {y:.2f} m, state {state:016x}")
