# SPDX-License-Identifier: MIT
"""The names of the experiments: the rows of experiments.def once more, for one test each."""

EXPERIMENTS = [
    "balloon",
    "beam",
    "cantilever",
    "chain",
    "cloth",
    "damping",
    "fixed_point",
    "materials",
    "momentum",
    "ropes",
    "spring",
    "substeps",
    "sweeps",
]
