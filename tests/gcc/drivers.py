# SPDX-License-Identifier: GPL-3.0-or-later
"""The compilers to compare: the system's and the patched one, and the proof of which one runs."""

import pathlib
import shutil
import subprocess

import environment
from compilers import GCC, GFORTRAN, GXX
from setup_error import SetupError, Skip

# What a loop without a schedule clause calls.
STATIC, ROUTED = "GOMP_parallel", "GOMP_parallel_loop_nonmonotonic_runtime"

# A driver that was not patched takes the option only if specs that the user names mention it.
SPECS = "-specs=loop-route.specs"

# The variants of the compiler: options besides -B of the patched directory (None: not patched), and
# what they must have a loop without a schedule clause call.
VARIANTS = {
    "stock": (None, STATIC),
    "none": ([SPECS, "-fopenmp-loop-route=none"], STATIC),
    "default": ([], ROUTED),
    "static": ([SPECS, "-fopenmp-loop-route=static"], ROUTED),
    "all": ([SPECS, "-fopenmp-loop-route=all"], ROUTED),
}

PROBE_C = """\
void f (int *a)
{
#pragma omp parallel for
  for (int i = 0; i < 100; i++)
    a[i] = i;
}
"""
PROBE_FORTRAN = """\
subroutine f(a)
  integer :: a(100), i
  !$omp parallel do
  do i = 1, 100
    a(i) = i
  end do
end subroutine
"""

# Of each language: the driver's argument, the program that it has to run, a probe.
LANGUAGES = {
    "c": ("cc", "cc1", "probe.c", PROBE_C),
    "c++": ("cxx", "cc1plus", "probe.C", PROBE_C),
    "fortran": ("fc", "f951", "probe.f90", PROBE_FORTRAN),
}


def add_arguments(parser):
    """The options that say which compilers to compare."""
    parser.add_argument("--cc", default=GCC, help="the C driver (default: %(default)s)")
    parser.add_argument("--cxx", default=GXX, help="the C++ driver (default: %(default)s)")
    parser.add_argument("--fc", default=GFORTRAN, help="the Fortran driver (default: %(default)s)")
    parser.add_argument(
        "--patched",
        type=pathlib.Path,
        metavar="DIR",
        help="directory of the patched cc1, cc1plus and f951 (build/gcc)",
    )


def command(arguments, language, variant):
    """The command, as a list, by which VARIANT compiles LANGUAGE."""
    driver = getattr(arguments, LANGUAGES[language][0])
    options = VARIANTS[variant][0]
    if options is None:
        return [driver]
    return [driver, f"-B{arguments.patched.resolve()}/", *options]


def require(arguments, variants):
    """Skip or stop if a driver or the patched compiler is not there."""
    for name in ("cc", "cxx", "fc"):
        if not shutil.which(getattr(arguments, name)):
            raise SetupError(f"--{name} is {getattr(arguments, name)}, which is not a program here")
    if all(VARIANTS[variant][0] is None for variant in variants):
        return
    if not arguments.patched:
        raise SetupError("--patched is missing: the directory of the patched compiler")
    for _, program, *_ in LANGUAGES.values():
        if not (arguments.patched / program).is_file():
            raise Skip(
                f"the patched compiler was not built: there is no {arguments.patched / program}"
            )


def prove(arguments, language, variant, work):
    """Stop unless VARIANT of LANGUAGE runs the compiler meant, with the routing meant."""
    _, program, probe, text = LANGUAGES[language]
    driver = command(arguments, language, variant)
    found = pathlib.Path(run([*driver, f"-print-prog-name={program}"]).strip())
    patched = arguments.patched and found.parent.resolve() == arguments.patched.resolve()
    if bool(patched) != (VARIANTS[variant][0] is not None):
        raise SetupError(f"{variant}: {' '.join(driver)} runs {found}, the wrong {program}")
    source = work / probe
    source.write_text(text)
    code = run([*driver, "-O2", "-fopenmp", "-S", "-o", "-", source])
    called = {word.split("@")[0] for word in code.split() if word.startswith("GOMP_")}
    expected = VARIANTS[variant][1]
    if called & {STATIC, ROUTED} != {expected}:
        raise SetupError(
            f"{variant}: {' '.join(driver)} has {probe} call {sorted(called)}, not {expected}"
        )


def run(argv):
    """The output of a compiler's command, which must succeed."""
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            env=environment.clean(LC_ALL="C"),
            timeout=900,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise SetupError(f"{' '.join(map(str, argv))} failed: {error.stderr.strip()}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(str(error)) from None
    return done.stdout
