# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenACC, and code for devices: loops of target regions stay as they are, wherever they run."""

import re

import support
from support import GCC, Case, run

# With these GCC never looks for a compiler for a device.
HOST = [["-foffload=disable"], ["-fopenacc", "-foffload=disable"]]
# With these it may; whether one is there decides what it says and does.
DEVICES = [[], ["-foffload=nvptx-none"], ["-foffload=amdgcn-amdhsa"], ["-foffload=no-such-target"]]


class Offload(Case):
    def build(self, compiler, source, *options):
        source = support.SOURCES / source
        return run(*compiler, "-O2", "-fopenmp", *options, source, "-o", "out", cwd=self.work)

    def run_on_host(self):
        for schedule in "static", "dynamic":
            self.ok("./out", OMP_SCHEDULE=schedule, OMP_TARGET_OFFLOAD="disabled")

    def test_target_regions_on_the_host(self):
        for options in HOST:
            for source in "refused.c", "refused_acc.c":
                with self.subTest(source=source, options=options):
                    # GCC 16 warns of what OpenMP has deprecated since.
                    done = self.build(support.amp(), source, *options, "-w")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.run_on_host()

    def test_as_the_stock_compiler(self):
        """Where a device's compiler is not installed, GCC says so, and in the same words."""
        for options in DEVICES:
            with self.subTest(options=options):
                stock = self.build([GCC], "refused.c", *options)
                ours = self.build(support.amp(), "refused.c", *options, "--amp-no-rpath")
                # Temporary files, and the directories that it looked for mkoffload in.
                said = [re.sub(r"/tmp/\S+|(?<= in )/\S+", "...", d.stderr) for d in (ours, stock)]
                self.assertEqual((ours.returncode, said[0]), (stock.returncode, said[1]))
                if ours.returncode == 0:
                    self.run_on_host()

    def test_acc_alone(self):
        """Without -fopenmp nothing is added, and OpenMP's pragmas say nothing."""
        words = ["-O2", "-fopenacc", "-S", support.SOURCES / "refused_acc.c", "-frandom-seed=1"]
        texts = []
        for compiler in support.amp(), [GCC]:
            done = run(*compiler, *words, "-o", "-", cwd=self.work)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            texts.append(done.stdout)
        self.assertIn("GOACC_parallel", texts[0])
        self.assertEqual(*texts)

    def test_simd_alone(self):
        words = ["-O2", "-fopenmp-simd", "-S", support.SOURCES / "loops.c"]
        texts = [self.ok(*compiler, *words, "-o", "-") for compiler in (support.amp(), [GCC])]
        self.assertNotIn("GOMP_", texts[0])
        self.assertEqual(*texts)


if __name__ == "__main__":
    support.main()
