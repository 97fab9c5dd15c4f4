# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of what the library says of other OpenMP runtimes in its process."""

import sys

import tool_case
from tool_case import ToolCase

LINE = "LIBGOMP_AMP_OTHER_RUNTIMES = "

# Loads the libraries that are its arguments; a child of it ends in between.
LOADER = """
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!dlopen(argv[i], RTLD_NOW))
      return 1;
  if (fork() == 0)
    exit(0);
  wait(NULL);
  return 0;
}
"""


class OtherRuntimes(ToolCase):
    def setUp(self):
        super().setUp()
        self.ours = self.bin.parent / "lib/libgomp-amp/libgomp.so.1"
        self.loader = self.compile("loader", LOADER, "-ldl")

    def runtime(self, name, source, *flags):
        return self.compile(name, source, "-shared", "-fPIC", f"-Wl,-soname,{name}", *flags)

    def program_with(self, library):
        return self.compile(
            "app", "void f(void); int main(void) { f(); }", library, f"-Wl,-rpath,{self.dir}"
        )

    def run_on_ours(self, *command, display="verbose", preloads=()):
        words = ":".join(map(str, (self.ours, *preloads)))
        done = self.run_tool(
            command[0], *command[1:], env={"LD_PRELOAD": words, "OMP_DISPLAY_ENV": display}
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def line_of(self, text):
        lines = [line for line in text.splitlines() if LINE in line]
        self.assertEqual(len(lines), 1, text)
        return lines[0].split(LINE)[1]

    def test_none(self):
        text = self.run_on_ours("/bin/true")
        self.assertEqual(self.line_of(text), "''")
        self.assertNotIn("another OpenMP runtime", text)

    def test_by_its_name(self):
        for name, kind in (
            ("libgomp-a34b3233.so.1.0.0", "libgomp"),
            ("libomp-a34b3233.so.5", "LLVM or Intel"),
        ):
            copy = self.runtime(name, "void f(void) {}")
            self.assertEqual(
                self.line_of(self.run_on_ours(self.program_with(copy))), f"'{copy} ({kind})'"
            )

    def test_users_of_a_runtime_are_none(self):
        user = self.runtime(
            "libuser.so",
            "void GOMP_parallel(void); void f(void) {}void g(void) { GOMP_parallel(); }",
        )
        self.assertEqual(self.line_of(self.run_on_ours("/bin/true", preloads=[user])), "''")

    def test_several(self):
        copies = [self.runtime(f"libgomp-{number}.so", "int x;") for number in range(2)]
        text = self.run_on_ours("/bin/true", preloads=copies)
        self.assertEqual(self.line_of(text), f"'{copies[0]} (libgomp), {copies[1]} (libgomp)'")

    def test_loaded_later_is_named_once_at_the_end(self):
        copy = self.runtime("libgomp-a34b3233.so.1.0.0", "void GOMP_parallel(void) {}")
        text = self.run_on_ours(self.loader, copy, copy)
        self.assertEqual(self.line_of(text), "''")
        self.assertEqual(text.count(f"loaded after the start: {copy} (libgomp)"), 1, text)
        self.assertEqual(text.count(str(copy)), 1, text)

    def test_nothing_is_looked_for_unless_asked(self):
        copy = self.runtime("libgomp-a34b3233.so.1.0.0", "void GOMP_parallel(void) {}")
        witness = self.runtime(
            "libwitness.so",
            """
          #include <unistd.h>
          int dl_iterate_phdr(void *callback, void *data) {
            return write(2, "asked\\n", 6) < 0;
          }""",
        )
        for display, asked in ((None, 0), ("false", 0), ("true", 0), ("verbose", 1)):
            text = self.run_on_ours(self.loader, copy, display=display, preloads=[witness])
            self.assertEqual(min(text.count("asked"), 1), asked, text)
            self.assertNotIn(str(copy), text)


if __name__ == "__main__":
    sys.exit(tool_case.main())
