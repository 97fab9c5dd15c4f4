# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the event simulation, by cases worked out by hand."""

import unittest

import simulate
from simulate import simulate as run

BIG_LITTLE = [1.0, 2.0]  # one fast core, one half as fast


class Machines(unittest.TestCase):
    def test_classes(self):
        machine = simulate.parse_machine("4x3.0+2x1.5+1x0.5")
        self.assertEqual(machine, ((4, 3.0), (2, 1.5), (1, 0.5)))
        self.assertEqual(simulate.slowness_of_threads(machine), [1] * 4 + [2] * 2 + [6])

    def test_no_machine(self):
        for text in ("", "4", "4x", "0x1", "4x0", "4x-1", "ax1"):
            with self.subTest(text), self.assertRaises(ValueError):
                simulate.parse_machine(text)

    def test_bound(self):
        # 12 of work on cores of speeds 1, 1/2.
        self.assertAlmostEqual(simulate.bound([4, 4, 4], BIG_LITTLE), 8)


class Static(unittest.TestCase):
    def test_blocks_of_a_rest(self):
        self.assertEqual(simulate.static_blocks(10, 4), [[(0, 3)], [(3, 6)], [(6, 8)], [(8, 10)]])

    def test_chunks_in_turn(self):
        blocks = simulate.static_blocks(10, 2, 3)
        self.assertEqual(blocks, [[(0, 3), (6, 9)], [(3, 6), (9, 10)]])

    def test_fewer_iterations_than_threads(self):
        self.assertEqual(run([5], BIG_LITTLE, "static").busy, (5, 0))

    def test_makespan(self):
        # 1 + 2 + 3 = 6 on the fast core, (4 + 5) * 2 on the slow one.
        outcome = run([1, 2, 3, 4, 5], BIG_LITTLE, "static", 100)
        self.assertEqual(outcome.busy, (6, 18))
        self.assertEqual(outcome.makespan, 18)
        self.assertEqual(outcome.iterations, (3, 2))
        self.assertEqual(outcome.removals, 0)

    def test_chunk(self):
        # 1 + 3 + 5 = 9 and (2 + 4) * 2 = 12.
        self.assertEqual(run([1, 2, 3, 4, 5], BIG_LITTLE, "static,1").busy, (9, 12))


class Dynamic(unittest.TestCase):
    def test_who_is_first_is_served_first(self):
        # Fast: 0-3 (first), 3-5, 5-6; slow: 0-4 (second, cost 2), 4-12 (fourth, cost 4).
        # Orders of removal: fast at 0, slow at 0, fast at 3, slow at 4, fast at 5.
        outcome = run([3, 2, 2, 4, 1], BIG_LITTLE, "dynamic")
        self.assertEqual(outcome.busy, (6, 12))
        self.assertEqual(outcome.makespan, 12)
        self.assertEqual(outcome.iterations, (3, 2))
        # Five, and one each that found nothing.
        self.assertEqual(outcome.removals, 7)

    def test_last_iteration_on_the_slow_core(self):
        # At 4 both are free: the lower number takes the last one.
        self.assertEqual(run([4, 2, 10], BIG_LITTLE, "dynamic").makespan, 14)

    def test_chunk(self):
        # Fast: 0-1 (from 0 to 2), 4-5 (2 to 4), and at 4, as its number is lower, 6-7 (4 to 6).
        # Slow: 2-3 (0 to 4), 8 (4 to 6).
        outcome = run([1] * 9, BIG_LITTLE, "dynamic,2")
        self.assertEqual(outcome.iterations, (6, 3))
        self.assertEqual(outcome.makespan, 6)

    def test_removals_queue(self):
        # Two threads of speed 1, removals of 10. Thread 0: 0-10, runs 10-15. Thread 1 waits 10,
        # 10-20, runs 20-25. Thread 0 comes at 15, waits 5, 20-30, finds nothing and ends at 30;
        # thread 1 comes at 25, waits 5, 30-40: nothing.
        outcome = run([5, 5], [1.0, 1.0], "dynamic", 10)
        self.assertEqual(outcome.waited, 20)
        self.assertEqual(outcome.removals, 4)
        self.assertEqual(outcome.busy, (5, 5))
        self.assertEqual(outcome.makespan, 40)

    def test_a_removal_does_not_scale_with_slowness(self):
        # 10 for the removal, 2 * 5 of work, 10 to find nothing.
        self.assertEqual(run([5], [2.0], "dynamic", 10).makespan, 30)


class Starts(unittest.TestCase):
    def test_static(self):
        self.assertEqual(run([1, 2, 3, 4], BIG_LITTLE, "static", starts=(30, 3)).makespan, 33)

    def test_who_arrives_first_is_served_first(self):
        # The slow one takes the 5 (from 1 to 11); the fast one 1 (2 to 3), 1 (3 to 4).
        outcome = run([5, 1, 1], BIG_LITTLE, "dynamic", starts=(2, 1))
        self.assertEqual(outcome.iterations, (2, 1))
        self.assertEqual(outcome.makespan, 11)


class Guided(unittest.TestCase):
    def test_shrinking_blocks(self):
        # Of 10 with two threads: 5, 3, 1, 1. Fast: 5 (0 to 5); slow: 3 (0 to 6); fast: 1 (5 to 6);
        # at 6 fast again: 1 (6 to 7).
        outcome = run([1] * 10, BIG_LITTLE, "guided")
        self.assertEqual(outcome.iterations, (7, 3))
        self.assertEqual(outcome.makespan, 7)

    def test_chunk_is_the_least(self):
        # 5, 4, and the last one, for which both are free at 8 or 5: the fast one, 5 to 6.
        outcome = run([1] * 10, BIG_LITTLE, "guided,4")
        self.assertEqual(outcome.iterations, (6, 4))
        self.assertEqual(outcome.makespan, 8)


class Classes(unittest.TestCase):
    def test_sums(self):
        outcome = run([1] * 9, [1.0, 1.0, 2.0], "static")
        self.assertEqual(outcome.by_class([2, 1], outcome.busy), [6, 6])

    def test_unknown_schedule(self):
        with self.assertRaises(ValueError):
            run([1], [1.0], "aid_static")


if __name__ == "__main__":
    unittest.main()
