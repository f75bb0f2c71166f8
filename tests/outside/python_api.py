# SPDX-License-Identifier: MIT
"""python/xpbd against an installed library: arrays of every kind, errors, and all calls once."""

import gc
import threading
import unittest

import numpy as np
import xpbd


def chain(n=5, **options):
    """A chain along x of n particles 1 m apart, the first of which is pinned."""
    world = xpbd.World(**options)
    x = np.zeros((n, 3), np.float32)
    x[:, 0] = np.arange(n)
    w = np.ones(n, np.float32)
    w[0] = 0
    i = np.arange(n - 1)
    assert world.add_particles(x, inverse_mass=w) == range(0, n)
    assert world.add_constraints("distance", np.stack([i, i + 1], 1)) == range(0, n - 1)
    return world


class Arrays(unittest.TestCase):
    def test_rows_of_every_stride_are_read_as_they_are(self):
        vertices = np.zeros(6, [("position", np.float32, 3), ("color", np.uint8, 4)])
        vertices["position"] = np.random.default_rng(1).normal(size=(6, 3))
        plain = np.ascontiguousarray(vertices["position"])
        same = [vertices["position"], plain.astype(np.float64), plain.astype(">f4"),
                np.asfortranarray(plain), plain[::-1][::-1], plain.tolist(),
                np.repeat(plain, 2, axis=0)[::2]]
        for position in same:
            world = xpbd.World()
            world.add_particles(position)
            np.testing.assert_array_equal(world.positions(), plain)
        world.add_particles(plain[::-1])
        np.testing.assert_array_equal(world.positions(6), plain[::-1])

    def test_one_row_or_number_stands_for_all(self):
        world = xpbd.World()
        world.add_particles(np.broadcast_to(np.float32([1, 2, 3]), (4, 3)), velocity=(0, 1, 0), inverse_mass=0.5)
        np.testing.assert_array_equal(world.positions(), [[1, 2, 3]] * 4)
        np.testing.assert_array_equal(world.velocities(), [[0, 1, 0]] * 4)
        world.set_velocities((1, 0, 0), first=1, count=2)
        np.testing.assert_array_equal(world.velocities()[:, 0], [0, 1, 1, 0])
        world.set_inverse_masses(0)
        world.step(0.1)
        np.testing.assert_array_equal(world.positions(0, 1), [[1, 2, 3]])

    def test_results_go_where_they_are_wanted(self):
        world = chain()
        vertices = np.full(5, 7, [("color", np.float32), ("position", np.float32, 3)])
        out = world.positions(out=vertices["position"])
        self.assertIs(out.base, vertices)
        np.testing.assert_array_equal(vertices["position"][:, 0], range(5))
        np.testing.assert_array_equal(vertices["color"], 7)
        image = np.zeros((5, 4), np.float32)
        world.positions(out=image[:, :3])
        np.testing.assert_array_equal(image[:, 0], range(5))
        self.assertEqual(world.positions(3).shape, (2, 3))
        self.assertEqual(world.positions(5).shape, (0, 3))

    def test_results_that_would_be_lost_are_refused(self):
        world = chain()
        frozen = np.zeros((5, 3), np.float32)
        frozen.flags.writeable = False
        for out, kind, words in [
                (np.zeros((5, 3)), TypeError, "float64"), ([[0] * 3] * 5, TypeError, "list"),
                (np.zeros((5, 3), ">f4"), TypeError, "float32"),
                (np.zeros((4, 3), np.float32), ValueError, r"\(4, 3\); \(5, 3\)"),
                (frozen, ValueError, "read-only"),
                (np.zeros((5, 3), np.float32)[::-1], ValueError, "backwards"),
                (np.zeros((3, 5), np.float32).T, ValueError, "gaps"),
                (np.lib.stride_tricks.as_strided(np.zeros(3, np.float32), (5, 3), (0, 4)), ValueError, "overlap")]:
            with self.assertRaisesRegex(kind, words):
                world.positions(out=out)

    def test_indices_are_not_cut_off(self):
        world = chain()
        for pairs, kind, words in [([[0, -1]], ValueError, r"particles\[0, 1\] is -1"),
                                   ([[0, 2**32 + 1]], ValueError, "4294967297"),
                                   ([[0.0, 1.0]], TypeError, "integers"), ([[0, 1, 2]], ValueError, r"\(1, 3\)")]:
            with self.assertRaisesRegex(kind, words):
                world.add_constraints("distance", pairs)
        self.assertEqual(world.summary().n_constraints["distance"], 4)


class Errors(unittest.TestCase):
    def test_the_library_says_what_and_where(self):
        world = chain()
        with self.assertRaises(xpbd.Error) as caught:
            world.add_constraints("distance", [[0, 1], [2, 99]])
        error = caught.exception
        self.assertEqual((error.status, error.type, error.element),
                         ("XPBD_ERROR_PARTICLE_INDEX", "distance", 1))
        self.assertIn("99", str(error))
        with self.assertRaisesRegex(xpbd.Error, "compliance"):
            world.add_constraints("distance", [[0, 1]], compliance=-1)
        with self.assertRaisesRegex(xpbd.Error, "position"):
            world.add_particles([[0, float("nan"), 0]])
        with self.assertRaises(xpbd.Error) as caught:
            world.step(0)
        self.assertIsNone(caught.exception.type)
        with self.assertRaises(xpbd.Error):
            xpbd.World(scheduler="fastest")

    def test_what_the_library_would_never_see(self):
        world = chain()
        for call, kind, words in [
                (lambda: xpbd.World(substep=3), TypeError, "no option 'substep'; there are substeps"),
                (lambda: xpbd.World(substeps=-1), ValueError, "substeps is -1"),
                (lambda: xpbd.World(substeps=1.5), TypeError, "integer"),
                (lambda: xpbd.World(threads=2**31), ValueError, "threads"),
                (lambda: xpbd.World(scheduler=3), TypeError, "name"),
                (lambda: xpbd.World(acceleration=(0, 1)), ValueError, "2 numbers"),
                (lambda: world.add_constraints("spring", [[0, 1]]), ValueError, "'spring'; there are distance"),
                (lambda: world.add_constraints("distance", [[0, 1]], stiff=1), TypeError, "no 'stiff'"),
                (lambda: world.add_constraints("distance", [[0, 1]], sizes=[1]), ValueError, "one element"),
                (lambda: world.add_constraints("distance", [[0, 1]], element_rest=1), ValueError, "no element_rest"),
                (lambda: world.add_constraints("shape_match", [0, 1]), ValueError, "needs sizes"),
                (lambda: world.add_constraints("shape_match", [0, 1], sizes=[3]), ValueError, "3 elements"),
                (lambda: world.add_particles([0, 0, 0]), ValueError, r"\(3,\)"),
                (lambda: world.add_particles([["a", "b", "c"]]), TypeError, "numbers"),
                (lambda: world.positions(3, 3), IndexError, r"\[3, 6\)"),
                (lambda: world.positions(-1), ValueError, "first is -1"),
                (lambda: world.set_constraints("distance", particles=[[0, 1]]), TypeError, "particles")]:
            with self.assertRaisesRegex(kind, words):
                call()

    def test_a_closed_world_is_no_crash(self):
        with chain() as world:
            pass
        world.close()
        for call in (world.positions, world.hash, world.summary, lambda: world.step(0.1)):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()
        self.assertEqual(repr(world), "<xpbd.World, closed>")
        del world
        gc.collect()


class Simulation(unittest.TestCase):
    def test_a_spring_comes_to_rest_at_its_compliance(self):
        world = chain(2, substeps=1, iterations=1, acceleration=(10, 0, 0))
        world.set_constraints("distance", compliance=1e-3, damping_time=0.1)
        for _ in range(300):
            world.step(1 / 60)
        self.assertAlmostEqual(world.positions()[1, 0], 1.01, places=5)
        np.testing.assert_allclose(world.forces("distance"), [[[10, 0, 0], [-10, 0, 0]]], rtol=1e-3)
        self.assertEqual(world.lambdas("distance").shape, (1, 1))
        d = world.diagnose()
        self.assertLess(d.residual_max, 1e-5)
        self.assertEqual(d.worst_type, "distance")
        self.assertIsNone(d.first_degenerate_type)
        self.assertEqual(len(d.momentum), 3)

    def test_bits_do_not_depend_on_scheduler_threads_or_layout_names(self):
        hashes = set()
        for layout in xpbd.layouts():
            for isa, available in xpbd.isas().items():
                if available:
                    with chain(40, scheduler="colored-gs", layout=layout, isa=isa, threads=1) as world:
                        for _ in range(10):
                            world.step(1 / 60)
                        hashes.add(world.hash())
        self.assertEqual(len(hashes), 1)

    def test_types_of_variable_size(self):
        world = xpbd.World(acceleration=(0, 0, 0))
        corners = np.float32([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        world.add_particles(np.concatenate([corners, corners + 5]))
        self.assertEqual(world.add_constraints("shape_match", np.arange(16), sizes=[8, 8], compliance=1e-6),
                         range(0, 2))
        world.step(0.01)
        self.assertEqual(world.lambdas("shape_match").shape, (16, 3))
        self.assertEqual(world.lambdas("shape_match", 1).shape, (8, 3))
        self.assertEqual(world.forces("shape_match", 1, 1).shape, (8, 1, 3))
        np.testing.assert_allclose(world.positions()[:8], corners, atol=1e-5)

    def test_every_call(self):
        world = chain(4, threads=1)
        world.prepare()
        world.set_solver(2, 3)
        world.set_tolerance(1e-3, 2)
        world.set_acceleration((0, -1, 0))
        world.set_threads(1)
        world.set_tolerance(1e-9, check_every=1)
        world.set_forces((0, 0, 1))
        world.set_positions([[0, 1, 0]], first=3)
        world.move_particles([[0, 0, 1]], first=0)
        world.set_constraints("distance", rest=[1, 1, 2], break_force=np.inf)
        world.enable_constraints("distance", 2, 1, False)
        world.step(0.1)
        self.assertEqual(world.positions()[0].tolist(), [0, 0, 1])
        world.enable_constraints("distance", 2, 1)
        world.set_constraints("distance", break_force=1e-6)
        world.step(0.1)
        broken = world.broken()
        self.assertEqual({one.type for one in broken}, {"distance"})
        self.assertEqual(sorted(one.index for one in broken), [0, 1, 2])
        summary = world.summary()
        self.assertEqual((summary.n_particles, summary.threads, summary.isa in xpbd.isas()), (4, 1, True))
        self.assertIn("4 particles and 3 constraints", repr(world))
        self.assertIn(summary.scheduler, world.explain())
        world.set_budget(2**32 - 1)
        world.step(0.1)
        report = world.report()
        self.assertEqual((report.substeps, report.n_late, report.threads), (2, 0, 1))

    def test_a_guard_names_what_explodes(self):
        self.assertEqual(xpbd.world_options()["guard"], "off")
        world = chain(4, threads=1, guard="clamp", max_speed=5)
        world.set_constraints("distance", rest=[1, 1, 1000])
        world.step(0.1)
        report = world.report()
        self.assertGreater(report.n_guarded, 0)
        self.assertEqual((report.guard_type, report.guard_index), ("distance", 2))
        self.assertLessEqual(np.linalg.norm(world.velocities(), axis=1).max(), 5)
        world.set_guard("off")
        world.step(0.1)
        self.assertEqual((world.report().n_guarded, world.report().guard_type), (0, None))
        for wrong in (lambda: world.set_guard("on"), lambda: xpbd.World(guard="on")):
            self.assertRaises(ValueError, wrong)
        self.assertRaises(xpbd.Error, world.set_guard, "clamp", -1)

    def test_substeps_call_back(self):
        world = chain(3, threads=1, substeps=4)
        seen = []

        def look(w, substep):
            self.assertIs(w, world)
            seen.append((substep, w.positions()[2, 1]))
            with self.assertRaises(xpbd.Error) as caught:
                w.add_particles([[0, 0, 0]])
            self.assertEqual(caught.exception.status, "XPBD_ERROR_INSIDE_STEP")
            with self.assertRaisesRegex(ValueError, "inside its step"):
                w.close()
            return substep < 2

        world.on_substep(look)
        gc.collect()
        world.step(0.1)
        self.assertEqual([substep for substep, _ in seen], [0, 1, 2])
        self.assertTrue(seen[0][1] > seen[1][1] > seen[2][1])

        def fail(*_):
            raise KeyError("mine")

        world.on_substep(fail)
        with self.assertRaisesRegex(KeyError, "mine"):
            world.step(0.1)
        world.on_substep(None)
        world.step(0.1)
        with self.assertRaisesRegex(TypeError, "function"):
            world.on_substep(3)

    def test_ports_feel_forces(self):
        world = chain(2, threads=1, acceleration=(10, 0, 0))
        world.set_constraints("distance", damping_time=0.1, compliance=1e-3)
        particle, spring = world.add_port(0), world.add_port(type="distance", index=0)
        for _ in range(300):
            world.step(1 / 60)
        np.testing.assert_allclose(world.port(particle), [10, 0, 0], rtol=1e-3)
        np.testing.assert_allclose(world.port(spring), [[10, 0, 0], [-10, 0, 0]], rtol=1e-3)
        with self.assertRaises(xpbd.Error):
            world.port(2)
        world.clear_ports()
        with self.assertRaises(xpbd.Error):
            world.port(0)

    def test_remarks_go_to_a_log(self):
        lines = []
        world = chain(2, threads=1, log=lambda level, text: lines.append((level, text)))
        with self.assertRaises(xpbd.Error) as caught:
            world.step(-1)
        self.assertIn(("error", str(caught.exception)), lines)
        with self.assertRaisesRegex(TypeError, "log"):
            xpbd.World(log=3)

    def test_removing_keeps_and_compacting_changes_indices(self):
        world = chain(5, threads=1)
        world.remove_constraints("distance", 1)
        self.assertEqual(world.remove_particles(4), 1)
        self.assertEqual(world.removed().tolist(), [False] * 4 + [True])
        self.assertEqual(world.removed("distance", 1).tolist(), [True, False, True])
        world.step(0.01)
        particles, constraints = world.compact()
        self.assertEqual(particles.tolist(), [0, 1, 2, 3, -1])
        self.assertEqual(constraints["distance"].tolist(), [0, -1, 1, -1])
        self.assertEqual(world.summary().n_constraints["distance"], 2)

    def test_snapshots_and_records_go_on_with_the_same_bits(self):
        world = chain(20, threads=1)
        world.step(0.01)
        saved, other = world.save(), xpbd.World(threads=1, layout="soa")
        other.load(saved)
        world.record_start()
        for one in (world, other):
            one.step(0.02)
        world.set_velocities((1, 0, 0), first=3, count=2)
        world.step(0.02)
        record = world.record_stop()
        report = xpbd.replay(record, threads=1)
        self.assertEqual((report.differs, report.n_steps), (False, 2))
        other.set_velocities((1, 0, 0), first=3, count=2)
        other.step(0.02)
        self.assertEqual(world.hash(), other.hash())
        with self.assertRaises(xpbd.Error) as caught:
            other.load(saved[:-5])
        self.assertEqual(caught.exception.status, "XPBD_ERROR_SNAPSHOT")
        clusters = xpbd.World(threads=1)
        clusters.add_particles(np.eye(3))
        clusters.add_constraints("shape_match", [0, 1, 2], sizes=[3])
        other.load(clusters.save())
        with self.assertRaisesRegex(ValueError, "give it sizes"):
            other.lambdas("shape_match")
        other.load(clusters.save(), sizes={"shape_match": [3]})
        self.assertEqual(other.lambdas("shape_match").shape, (3, 3))

    def test_bodies_are_built_of_meshes(self):
        world = xpbd.World()
        vertices = np.zeros(5, [("position", np.float32, 3), ("uv", np.float32, 2)])
        vertices["position"] = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [9, 9, 9]]
        sheet = world.build_triangles(vertices["position"], [[0, 1, 2], [1, 3, 2], [3, 3, 1]], pinned=[0],
                                      bend="isometric", young_modulus=1e6, area_density=2, tethers=True)
        self.assertEqual((sheet.particles, sheet.particle_of.tolist()), (range(0, 5), [0, 1, 2, 3, 4]))
        self.assertEqual((sheet.stretch, sheet.bend), (("distance", range(0, 5)), ("bend_isometric", range(0, 1))))
        self.assertEqual(sheet.tethers.type, "tether")
        self.assertEqual((sheet.report.count["repeated"], sheet.report.first), (1, {"repeated": 2, "unused": 4}))
        solid = world.build_tetrahedra(np.eye(4, 3), [[0, 1, 2, 3]], model="stvk")
        self.assertEqual((solid.particles, solid.stretch), (range(5, 9), ("tet_stvk", range(0, 1))))
        rod = world.build_polyline([[0, 0, 0], [1, 0, 0], [2, 0, 0]], pinned=[0, 1])
        self.assertEqual((rod.stretch.constraints, rod.bend), (range(5, 7), ("bend_angle", range(0, 1))))
        world.step(0.01)
        for call, kind, words in [
                (lambda: world.build_triangles(np.eye(3), [[0, 1, 2]], bend="cubic"), ValueError, "there are no_bend"),
                (lambda: world.build_triangles(np.eye(3), [[0, 1, 2]], stiff=1), TypeError, "no option 'stiff'"),
                (lambda: world.build_triangles(np.eye(3), [[0, 1]]), ValueError, r"\(1, 2\)"),
                (lambda: world.build_triangles(np.eye(3), [[0, 1, 1]], refuse=["repeated"]), xpbd.Error, "vertex twice"),
                (lambda: world.build_triangles(np.eye(3), [[0, 1, 1]], refuse=True), xpbd.Error, "vertex twice"),
                (lambda: world.build_triangles(np.eye(3), [[0, 1, 2]], refuse=["torn"]), ValueError, "'torn'"),
                (lambda: world.build_polyline(np.eye(3), young_modulus=-1), xpbd.Error, "odulus")]:
            with self.assertRaisesRegex(kind, words):
                call()
        self.assertEqual(world.summary().n_particles, 12)

    def test_the_tables_are_the_library_s(self):
        self.assertEqual(xpbd.constraint_types["distance"].rest, (("length", "m"),))
        self.assertEqual(len(xpbd.constraint_types["tri_fem"].rest), xpbd.constraint_types["tri_fem"].n_rest)
        self.assertIn("slab-gs", xpbd.schedulers())
        self.assertIn("rcm", xpbd.orderings())
        self.assertIn("none", xpbd.pinnings())
        self.assertEqual(next(iter(xpbd.statuses())), "XPBD_OK")
        self.assertEqual(xpbd.world_options()["iterations"], 10)

    def test_threads_of_python_take_turns(self):
        world = chain(50, threads=1)
        workers = [threading.Thread(target=lambda: [world.step(0.01) for _ in range(20)]) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        alone = chain(50, threads=1)
        for _ in range(80):
            alone.step(0.01)
        self.assertEqual(world.hash(), alone.hash())


unittest.main(verbosity=0)
