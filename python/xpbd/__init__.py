# SPDX-License-Identifier: MIT
"""libxpbd for Python: position-based dynamics with physical compliance on NumPy arrays.

    with xpbd.World(substeps=20, iterations=1) as world:
        world.add_particles(x, inverse_mass=w)                     # (n, 3) m, (n,) 1/kg
        world.add_constraints("distance", pairs, compliance=1e-6)  # (m, 2), m/N
        world.step(1 / 60)
        world.positions(out=x)

It stands on the installed library alone and says the same things by the same names: the manual is
xpbd.h. What can be chosen (`constraint_types`, `schedulers()`, ...) comes from the library that is
loaded, so that it is complete whatever the version.
"""

from ._library import LIBRARY_PATH, VERSION as __version__, Error
from ._options import world_options
from ._snapshots import replay
from ._tables import (ConstraintType, constraint_types, isas, layouts, orderings, pinnings,
                      schedulers, statuses)
from ._world import World

__all__ = ["ConstraintType", "Error", "LIBRARY_PATH", "World", "constraint_types", "isas",
           "layouts", "orderings", "pinnings", "schedulers", "statuses", "world_options",
           "__version__"]
