# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-run: what it refuses to run, and what --check tells."""

import os
import re
import shutil
import subprocess
import sys

import tool_case
from amp_run_case import OPENMP, LOOP, Case


class AmpRunRefuses(Case):
    def refuse(self, program, *parts):
        """amp-run refuses PROGRAM with a message of PARTS; so does --check."""
        self.assert_refused(self.amp_run(program), program, *parts, "--force")
        self.assert_refused(self.amp_run("--check", program), program, *parts)

    def libgomp_archive(self):
        compiler = os.environ.get("AMP_TEST_CC", "cc")
        path = subprocess.run(
            [compiler, "-print-file-name=libgomp.a"], text=True, capture_output=True
        ).stdout.strip()
        if not os.path.exists(path):
            self.skipTest("the compiler has no libgomp.a")
        return path

    def fake_runtime(self, directory="."):
        (self.dir / directory).mkdir(exist_ok=True)
        return self.compile(
            f"{directory}/libomp.so.5",
            "void fake_omp(void) {}",
            "-shared",
            "-fPIC",
            "-Wl,-soname,libomp.so.5",
        )

    def test_static_program(self):
        program = self.compile("static", "int main(void) { return 5; }", "-static")
        self.refuse(program, "statically linked")
        self.assertEqual(self.amp_run("--force", program).returncode, 5)

    def test_static_pie(self):
        self.refuse(self.compile("pie", "int main(void) {}", "-static-pie"), "statically linked")

    def test_static_libgomp(self):
        program = self.compile(
            "app", OPENMP, "-fopenmp", "-pthread", self.libgomp_archive(), "-ldl", "-Wl,--as-needed"
        )
        self.refuse(program, "linked into it statically")
        subprocess.run(["strip", program], check=True)
        self.refuse(program, "linked into it statically")

    def test_own_definitions(self):
        program = self.compile(
            "app", "int omp_get_num_threads(void) { return 1; }int main(void) {}"
        )
        self.refuse(program, "linked into it statically")

    def test_other_runtime(self):
        runtime = self.fake_runtime()
        program = self.compile(
            "app",
            "void fake_omp(void); int main(void) { fake_omp(); }",
            runtime,
            f"-Wl,-rpath,{self.dir}",
        )
        self.refuse(program, "LLVM", runtime)

    def test_other_runtime_of_a_library_by_origin_and_symlink(self):
        runtime = self.fake_runtime("lib")
        middle = self.compile(
            "lib/libmiddle.so",
            "void fake_omp(void); void m(void) { fake_omp(); }",
            "-shared",
            "-fPIC",
            runtime,
            "-Wl,-rpath,$ORIGIN",
            "-Wl,-soname,libmiddle.so",
        )
        program = self.compile(
            "lib/app",
            "void m(void); int main(void) { m(); }",
            middle,
            "-Wl,-rpath,$ORIGIN",
            f"-Wl,-rpath-link,{self.dir}/lib",
        )
        link = self.dir / "link"
        link.symlink_to(program)
        self.refuse(link, "LLVM", runtime)

    def test_other_runtime_through_ld_library_path(self):
        runtime = self.fake_runtime("lib")
        program = self.compile(
            "app", "void fake_omp(void); int main(void) { fake_omp(); }", runtime
        )
        done = self.amp_run(program, env={"LD_LIBRARY_PATH": f"{self.dir}/lib"})
        self.assert_refused(done, runtime)

    def test_other_runtime_preloaded(self):
        runtime = self.fake_runtime()
        self.assert_refused(self.amp_run("true", env={"LD_PRELOAD": str(runtime)}), runtime)

    def program_of_later_gcc(self, version, *names, weak=(), result="0"):
        """A program that calls NAMES, linked to a libgomp that has them and WEAK, to which it has
        weak references, in VERSION. It returns RESULT."""
        script = self.script("map", f"{version} {{ *; }};\n")
        later = self.compile(
            "libgomp.so.1",
            "".join(f"void {name}(void) {{}}\n" for name in [*names, *weak]),
            "-shared",
            "-fPIC",
            "-Wl,-soname,libgomp.so.1",
            f"-Wl,--version-script={script}",
        )
        declared = "".join(f"void {name}(void);" for name in names)
        declared += "".join(f"__attribute__((weak)) void {name}(void);" for name in weak)
        calls = "".join(f"{name}();" for name in names)
        code = f"{declared} int main(void) {{ {calls} return {result}; }}"
        return self.compile("app", code, later)

    def test_version_that_the_library_lacks(self):
        program = self.program_of_later_gcc("GOMP_99.0", "GOMP_new")
        self.refuse(program, "needs functions of libgomp", "GOMP_new@GOMP_99.0;")

    def test_function_that_the_library_lacks_in_a_version_that_it_has(self):
        # The loader finds this out when the program calls it.
        program = self.program_of_later_gcc("GOMP_6.0.2", "GOMP_new")
        self.refuse(program, "GOMP_new@GOMP_6.0.2;")

    def test_many_functions_that_the_library_lacks(self):
        names = [f"GOMP_{letter}" for letter in "abcde"]
        program = self.program_of_later_gcc("GOMP_99.0", *names)
        self.refuse(program, "GOMP_a@GOMP_99.0, GOMP_b@GOMP_99.0, GOMP_c@GOMP_99.0 and 2 more;")

    def test_a_library_of_the_program_is_looked_at_too(self):
        self.program_of_later_gcc("GOMP_6.0.2", "GOMP_new")
        user = self.compile(
            "libuser.so",
            "void GOMP_new(void); void user(void) { GOMP_new(); }",
            "-shared",
            "-fPIC",
            self.dir / "libgomp.so.1",
        )
        program = self.compile(
            "app",
            "void user(void); int main(void) { user(); }",
            user,
            "-Wl,--allow-shlib-undefined",
        )
        self.refuse(program, "GOMP_new@GOMP_6.0.2;")

    def test_function_of_a_later_gcc_that_the_library_has(self):
        program = self.program_of_later_gcc("GOMP_6.0.2", "GOMP_single_end", result="7")
        self.assertEqual(self.amp_run(program).returncode, 7)

    def test_weak_reference_to_a_function_that_the_library_lacks(self):
        program = self.program_of_later_gcc(
            # Without a reference that is not weak the linker drops the library.
            "GOMP_6.0.2",
            "GOMP_single_end",
            weak=["GOMP_new"],
            result="GOMP_new ? 5 : 6",
        )
        self.assertEqual(self.amp_run(program).returncode, 6)

    def test_other_machine(self):
        program = self.compile("app", "int main(void) {}")
        content = bytearray(program.read_bytes())
        content[18] ^= 1  # e_machine
        program.write_bytes(content)
        self.refuse(program, "ELF file for machine")

    def test_set_user_id(self):
        self.need_root()
        program = self.compile("app", "int main(void) { return 5; }")
        os.chown(program, 65534, -1)
        program.chmod(0o4755)
        self.refuse(program, "gains privileges")
        os.chown(program, 0, -1)  # one's own identity is no change
        program.chmod(0o4755)
        self.assertEqual(self.amp_run(program).returncode, 5)

    def test_file_capabilities(self):
        self.need_root()
        program = self.compile("app", "int main(void) { return 5; }")
        for needed in ("setcap", "setpriv"):
            if not shutil.which(needed):
                self.skipTest(f"needs {needed}")
        if subprocess.run(["setcap", "cap_net_raw+ep", program]).returncode != 0:
            self.skipTest("this file system has no file capabilities")
        other_user = ["setpriv", "--reuid=65534", "--clear-groups"]
        # Not by running amp-run: setpriv itself may still go where the other user may not.
        probe = subprocess.run([*other_user, "cat", self.library], capture_output=True)
        if probe.returncode != 0:
            self.skipTest("other users cannot reach the build directory")
        done = self.amp_run(program, before=other_user)
        self.assert_refused(done, program, "gains privileges")

    def test_unreadable_program(self):
        self.need_root()
        program = self.compile("app", "int main(void) {}")
        program.chmod(0o711)
        other_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        # Not by running amp-run: setpriv itself may still go where the other user may not.
        probe = subprocess.run([*other_user, "cat", self.library], capture_output=True)
        if probe.returncode != 0:
            self.skipTest("other users cannot reach the build directory")
        self.assert_refused(self.amp_run(program, before=other_user), program, "cannot be read")


class AmpRunChecks(Case):
    def check(self, program, status, *parts, without=(), fold=0):
        """amp-run --check PROGRAM ends with STATUS and prints PARTS, and nothing of WITHOUT."""
        done = self.amp_run("--check", f"--fold={fold}", program)
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        for part in parts:
            self.assertIn(str(part), done.stdout)
        for part in without:
            self.assertNotIn(str(part), done.stdout)

    def loop_program(self, name, schedule, *flags):
        main = "int main(void) { double a[9] = { 0 }; loop(a, 9); }"
        return self.compile(name, LOOP.replace("SCHEDULE", schedule) + main, "-fopenmp", *flags)

    def test_runs_nothing(self):
        done = self.amp_run("--check", "sh", "-c", f"echo > {self.dir}/ran")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertFalse((self.dir / "ran").exists())

    def test_program_without_openmp(self):
        program = self.compile("app", "int main(void) { return 7; }")
        self.check(program, 1, f"'{program}' uses no OpenMP", without=["would run with"])

    def test_routed_loops(self):
        program = self.loop_program("app", "schedule(nonmonotonic:runtime)")
        self.check(
            program,
            0,
            f"would run with {self.library}\n",
            "routed loops",
            "asks for libgomp.so.1",
            without=["with schedule(runtime)", "left alone"],
        )

    def test_loops_with_schedule_runtime(self):
        program = self.loop_program("app", "schedule(runtime)")
        self.check(program, 0, "loops with schedule(runtime)", without=["routed loops"])

    def test_explicit_schedules(self):
        for schedule in ("dynamic", "guided,4", "nonmonotonic:dynamic"):
            program = self.loop_program("app", f"schedule({schedule})")
            self.check(program, 1, "nothing to schedule", "explicit", without=["    routed loops"])

    def test_folded_teams(self):
        program = self.loop_program("app", "schedule(static)")
        done = self.amp_run("--check", "--fold", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("parallel regions: folded: neither the module nor", done.stdout)
        done = self.amp_run("--check", program, env={"GOMP_AMP_FOLD": "2"})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        for words, value in ((["--fold=0"], "2"), ([], "0"), ([], "x")):
            done = self.amp_run("--check", *words, program, env={"GOMP_AMP_FOLD": value})
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("inline code", done.stdout)
        main = "int omp_get_max_threads(void); int main(void) { omp_get_max_threads(); }"
        done = self.amp_run("--check", "--fold", self.compile("plain", main, "-fopenmp"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("no parallel regions\n", done.stdout)

    def test_says_how_modules_are_folded_as_the_library_reports(self):
        region = """
            {include}
            int {name}(void) {{
              int threads = 0;
              #pragma omp parallel reduction(+:threads)
              threads++;
              {call};
              return threads;
            }}"""
        kinds = {
            "none": ("", ""),
            "exact": ("#include <unistd.h>", "if (threads == 0) nice(1)"),
            "prefix": ("#include <sched.h>", "if (threads == 0) sched_setscheduler(0, 0, 0)"),
        }
        modules = {}
        for name, (include, call) in kinds.items():
            source = region.format(name=name, include=include, call=call)
            modules[name] = self.compile(f"lib{name}.so", source, "-fopenmp", "-shared", "-fPIC")
        # It loads two of the modules later.
        main = (
            region.format(name="first", include="", call="")
            + """
            #include <dlfcn.h>
            int none(void);
            int main(int argc, char **argv) {
              const char *names[] = { "exact", "prefix" };
              first() + none();
              for (int i = 0; i < argc - 1; i++)
                ((int (*)(void))dlsym(dlopen(argv[i + 1], RTLD_NOW), names[i]))();
            }"""
        )
        program = self.compile("app", main, "-fopenmp", modules["none"])
        command = [program, modules["exact"], modules["prefix"]]
        said = self.amp_run("--check", "--fold=2", *command)
        self.assertEqual((said.returncode, said.stderr), (0, ""), said.stdout)
        ran = self.amp_run("--fold=2", *command, env={"OMP_DISPLAY_ENV": "verbose"})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        reported = dict(re.findall(r"region (\w+)(?:\.so)?\+0x\S+ \S+ is (.*)", ran.stderr))
        self.assertEqual(len(reported), 4, ran.stderr)
        for file, name in ((program, None), *((modules[kind], kind) for kind in kinds)):
            shown = said.stdout.split(f"  {file}\n")[1].split("\n  /")[0]
            way = re.search(r"parallel regions: (.*)", shown)[1]
            report = reported[file.name.removesuffix(".so")]
            self.assertEqual(way.split(":")[0], report.split(":")[0])
            by_kernel = {"exact": "nice", "prefix": "sched_set"}.get(name)
            self.assertEqual(way.startswith("folded by the kernel"), bool(by_kernel), way)
            if by_kernel:
                self.assertIn(f"threads ({by_kernel}", way)
                self.assertIn(f"threads: {by_kernel}", report)

    def test_what_a_module_can_reach_that_speaks_of_threads(self):
        def library(name, source, *flags):
            flags = ("-shared", "-fPIC", f"-Wl,-soname,{name}", f"-Wl,-rpath,{self.dir}", *flags)
            return self.compile(name, source, *flags)

        ends = "#include <pthread.h>\nvoid end(void) { pthread_exit(0); }"
        inner = library("libinner.so", ends)
        uses = "void end(void); void middle(void) { end(); }"
        middle = library("libmiddle.so", uses, inner)
        local = library("liblocal.so", "__thread int mine; int middle(void) { return mine++; }")
        mask = library(
            "libmask.so", "#include <signal.h>\nvoid middle(void) { sigprocmask(0, 0, 0); }"
        )
        code = LOOP.replace("SCHEDULE", "") + "void middle(void); int main(void) { middle(); }"
        for needed, name in (
            (local, ""),
            (middle, "libinner.so: pthread_exit, it may end"),
            (mask, "libmask.so: sigprocmask, its signal mask"),
        ):
            program = self.compile("app", code, "-fopenmp", needed, f"-Wl,-rpath,{self.dir}")
            shown = self.amp_run("--check", "--fold", program).stdout
            self.assertEqual(f"speaks of the kernel's threads ({name})" in shown, bool(name), shown)
            self.assertEqual("folded: neither the module" in shown, not name, shown)

    def test_modules_are_looked_at_once_and_with_their_libraries(self):
        inner = self.compile(
            "libinner.so", LOOP.replace("SCHEDULE", ""), "-fopenmp", "-shared", "-fPIC"
        )
        outer = self.compile(
            "libouter.so",
            "void loop(double *, int); void outer(double *a) { loop(a, 9); }",
            "-shared",
            "-fPIC",
            inner,
        )
        program = self.compile("app", "int main(void) {}")
        data = self.script("data.so", "no library")
        link = self.dir / "libsame.so"
        link.symlink_to(inner)
        arguments = ["input", outer, data, "--check", inner, link, outer, self.dir / "none.so"]
        done = self.amp_run("--check", "--fold", program, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual(done.stdout.count(f"  {inner}\n    asks for"), 1, done.stdout)
        for other in (program, outer, data, link):
            self.assertNotIn(f"  {other}\n", done.stdout)
        plain = self.compile("libplain.so", "int plain;", "-shared", "-fPIC")
        done = self.amp_run("--check", "--fold", program, plain)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("nor its modules call an OpenMP runtime", done.stdout)

    def test_inline_static_loops(self):
        for schedule in ("", "schedule(static)", "schedule(static,4)"):
            program = self.loop_program("app", schedule)
            self.check(program, 1, "nothing to schedule", "inline", without=["left alone"])

    def test_tasks(self):
        program = self.compile(
            "app",
            """
          int main(void) {
            #pragma omp parallel
            #pragma omp task
            __asm__("");
          }""",
            "-fopenmp",
        )
        self.check(program, 0, "tasks: GOMP_TASK_SCHEDULE")

    def test_loops_of_a_library(self):
        source = LOOP.replace("SCHEDULE", "schedule(nonmonotonic:runtime)")
        library = self.compile("libloop.so", source, "-fopenmp", "-shared", "-fPIC")
        main = "void loop(double *, int); int main(void) { double a[9]; loop(a, 9); }"
        program = self.compile("app", main, library)
        self.check(program, 0, f"  {library}\n", "routed loops", without=[f"  {program}\n"])

    def test_shared_library_by_itself(self):
        source = LOOP.replace("SCHEDULE", "schedule(nonmonotonic:runtime)")
        library = self.compile("module.so", source, "-fopenmp", "-shared", "-fPIC")
        library.chmod(0o644)
        self.check(library, 0, f"would be loaded beside {self.library}", "routed loops")

    def test_bundled_copy(self):
        name = "libgomp-a34b3233.so.1.0.0"
        copy = self.compile(
            name, "void GOMP_parallel(void) {}", "-shared", "-fPIC", f"-Wl,-soname,{name}"
        )
        main = "void GOMP_parallel(void); int main(void) { GOMP_parallel(); }"
        program = self.compile("app", main, copy, f"-Wl,-rpath,{self.dir}")
        self.check(program, 1, f"asks for {name}", f"  {copy}\n    another OpenMP runtime")

    def test_library_without_amp_run(self):
        program = self.loop_program("app", "schedule(runtime)")
        self.check(program, 0, "without amp-run it loads ", "is not libgomp-amp\n")
        program = self.loop_program("app", "schedule(runtime)", f"-Wl,-rpath,{self.library.parent}")
        self.check(program, 0, f"without amp-run it loads {self.library}, which is libgomp-amp too")
        program = self.compile("app", "int main(void) {}")
        self.check(program, 1, without=["without amp-run"])

    def test_scripts(self):
        program = self.loop_program("interpreter", "schedule(nonmonotonic:runtime)")
        script = self.script("script", f"#!{program}\n")
        self.check(script, 0, f"'{script}' is a script for {program}", "routed loops")
        script = self.script("script", "#! /usr/bin/env -S  sh -e\n")
        self.check(script, 1, f"'{script}' is a script for ", "/sh;", "uses no OpenMP")
        script = self.script("script", "exit 0\n")
        self.check(script, 1, f"'{script}' is a script")

    def test_python(self):
        script = self.script("script", f"#!{sys.executable}\n")
        self.check(script, 1, "docs/guide/python.md")

    def test_nothing_that_the_program_names_is_executed(self):
        code = """
            #include <fcntl.h>
            unsigned la_version(unsigned v) { creat("RAN", 0600); return v; }
            """.replace("RAN", f"{self.dir}/ran")
        audit = self.compile("libaudit.so", code, "-shared", "-fPIC")
        for option in ("--audit", "--depaudit"):
            program = self.compile("app", "int main(void) {}", f"-Wl,{option},{audit}")
            self.check(program, 1, "uses no OpenMP")
            self.assertFalse((self.dir / "ran").exists(), option)
        self.amp_run(program)
        self.assertTrue((self.dir / "ran").exists())

    def test_no_file_that_the_program_names_as_its_loader_is_executed(self):
        loader = self.script("ld-linux.so.2", f"#!/bin/sh\necho > {self.dir}/ran\n")
        program = self.compile("app", "int main(void) {}", f"-Wl,--dynamic-linker,{loader}")
        for words in (["--check"], []):
            done = self.amp_run(*words, program)
            self.assertFalse((self.dir / "ran").exists())
            self.assert_refused(done, program, loader, "it is not that of libgomp-amp's C library")

    def test_a_file_without_section_headers(self):
        program = self.loop_program("app", "schedule(runtime)")
        content = bytearray(program.read_bytes())
        content[40:48] = bytes(8)  # e_shoff
        content[58:64] = bytes(6)  # e_shentsize, e_shnum, e_shstrndx
        program.write_bytes(content)
        self.check(program, 0, "loops with schedule(runtime)", "asks for libgomp.so.1")


if __name__ == "__main__":
    sys.exit(tool_case.main())
