# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of programs: where each comes from, how it is run, and what of its output is compared.

Words of a command may hold {inputs} (the directory of inputs), {threads} (how many the program is
told to use) and {root} (where packages are unpacked).
"""

from dataclasses import dataclass

STDOUT = "stdout"

# What decides on the gain: how the regions that take the time share their work out.
STATIC_LOOPS = "static loops"
SHORT_REGIONS = "regions of microseconds"
BY_SPEED = "shared by speed already"
ONE_THREAD = "mostly one thread"
GROUPS = (STATIC_LOOPS, SHORT_REGIONS, BY_SPEED, ONE_THREAD)


@dataclass(frozen=True)
class Output:
    """Files that a run leaves, by a pattern, or what it prints. Lines that match without are not
    compared, and order says whether their order counts. Numbers may differ by the share within,
    bytes by levels."""

    name: str
    without: str = ""
    within: float = 0.0
    levels: int = 0
    order: bool = True


@dataclass(frozen=True)
class Program:
    """One row. The first word of the command is a program of Debian's, or drivers/NAME.c or
    drivers/NAME.py here. own_clock is a program that prints `seconds: S` of its main part;
    few_threads one that refuses to use more threads than there are CPUs. calls is the value of
    GOMP_AMP_FOLD_CALLS, `all` where ids may share thread-local variables. group is one of
    GROUPS."""

    name: str
    what: str
    command: tuple[str, ...]
    compared: Output
    packages: tuple[str, ...] = ()
    wheels: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    own_clock: bool = False
    few_threads: bool = False
    calls: str = "auto"
    group: str = STATIC_LOOPS


def debian(name: str, package: str, what: str, command: str, compared: Output, **others) -> Program:
    return Program(name, what, tuple(command.split()), compared, packages=(package,), **others)


NUMPY = "numpy==2.4.6"


def wheel(name: str, release: str, what: str, within: float, **others) -> Program:
    """What drivers/wheel.py has under this name, in small letters with _ for blanks."""
    part = name.lower().replace("-", "").replace(" ", "_")
    return Program(
        name,
        what,
        ("drivers/wheel.py", part, "{inputs}"),
        Output(STDOUT, without="^seconds", within=within),
        wheels=(NUMPY, release),
        inputs=("water.xyz", "more-water.xyz"),
        own_clock=True,
        **others,
    )


MAGICK = (
    ("MAGICK_CONFIGURE_PATH", "{root}/etc/ImageMagick-6:{root}/usr/share/ImageMagick-6"),
    (
        "MAGICK_CODER_MODULE_PATH",
        "{root}/usr/lib/x86_64-linux-gnu/ImageMagick-6.9.11/modules-Q16/coders",
    ),
)

PROGRAMS = (
    debian(
        "john",
        "john",
        "bcrypt hashes with one salt against 3000 words",
        "john --format=bcrypt --wordlist={inputs}/words --session=s {inputs}/hashes",
        Output(STDOUT, without="^Loaded|^Press|^Will run", order=False),
        inputs=("words", "hashes"),
    ),
    debian(
        "GraphicsMagick",
        "graphicsmagick",
        "a median filter",
        "gm convert {inputs}/image.ppm -median 1 out.ppm",
        Output("out.ppm"),
        inputs=("image.ppm",),
        group=BY_SPEED,
    ),
    debian(
        "ImageMagick",
        "imagemagick",
        "a selective blur",
        "convert-im6.q16 {inputs}/image.ppm -selective-blur 0x1+20% out.ppm",
        Output("out.ppm"),
        inputs=("image.ppm",),
        environment=MAGICK,
        group=ONE_THREAD,
    ),
    debian(
        "G'MIC",
        "gmic",
        "a median and a bilateral filter",
        "gmic {inputs}/image.ppm -bilateral 20,7 -median 7 -o out.ppm",
        Output("out.ppm"),
        inputs=("image.ppm",),
    ),
    debian(
        "enfuse",
        "enfuse",
        "three exposures made one",
        "enfuse -o out.pnm {inputs}/dark.ppm {inputs}/image.ppm {inputs}/bright.ppm",
        # It dithers, and no two runs are alike.
        Output("out.pnm", levels=1),
        inputs=("dark.ppm", "image.ppm", "bright.ppm"),
        group=ONE_THREAD,
    ),
    debian(
        "MUSCLE",
        "muscle",
        "an alignment of 14 proteins",
        "muscle -align {inputs}/few-proteins.fa -output out.fa -threads {threads}",
        Output("out.fa"),
        inputs=("few-proteins.fa",),
    ),
    debian(
        "CD-HIT",
        "cd-hit",
        "clusters of 3000 proteins",
        "cd-hit -i {inputs}/many-proteins.fa -o out -T {threads} -M 0 -c 0.5 -n 2",
        Output("out"),
        inputs=("many-proteins.fa",),
        group=BY_SPEED,
    ),
    debian(
        "Clustal Omega",
        "clustalo",
        "an alignment of 80 proteins",
        "clustalo -i {inputs}/proteins.fa -o out.fa --threads={threads}",
        Output("out.fa"),
        inputs=("proteins.fa",),
        group=SHORT_REGIONS,
    ),
    debian(
        "FastTreeMP",
        "fasttree",
        "a tree of 120 sequences",
        "fasttreeMP -nt -gtr {inputs}/aligned.fa",
        Output(STDOUT),
        inputs=("aligned.fa",),
        group=SHORT_REGIONS,
    ),
    debian(
        "IQ-TREE",
        "iqtree",
        "the likelihood of a tree of 120 sequences",
        "iqtree2-omp -s {inputs}/aligned.fa -m GTR+G -n 0 -T {threads} --prefix out -seed 1",
        Output("out.treefile", within=1e-3),
        inputs=("aligned.fa",),
        few_threads=True,
    ),
    debian(
        "par2",
        "par2",
        "recovery data of 12 MB",
        "par2 create -q -r80 -s100000 -B {inputs} out.par2 {inputs}/noise",
        Output("out.vol*.par2"),
        inputs=("noise",),
    ),
    debian(
        "primecount",
        "primecount-bin",
        "the number of primes below 10^15",
        "primecount 1e15 --threads={threads}",
        Output(STDOUT),
        group=BY_SPEED,
    ),
    debian(
        "CDO",
        "cdo",
        "a field of random numbers on another grid",
        "cdo -s -P {threads} outputf,%.9g -remapcon,r360x180 -random,r1440x720",
        Output(STDOUT),
        group=BY_SPEED,
    ),
    debian(
        "xtb",
        "xtb",
        "the GFN2 energy of 125 water molecules",
        "xtb {inputs}/more-water.xyz --gfn 2 --sp",
        Output("charges", within=1e-6),
        inputs=("more-water.xyz",),
        environment=(("XTBPATH", "{root}/usr/share/xtb"), ("OMP_STACKSIZE", "64M")),
        group=SHORT_REGIONS,
    ),
    Program(
        "FFTW",
        "50 transforms of 128^3 complex numbers",
        ("drivers/fftw.c", "50"),
        Output(STDOUT),
        packages=("libfftw3-double3",),
        links=("libfftw3_omp.so.3", "libfftw3.so.3"),
    ),
    Program(
        "OpenBLAS",
        "20 products of matrices of 1200^2",
        ("drivers/gemm.c", "20"),
        Output(STDOUT, within=1e-12),
        packages=("libopenblas0-openmp",),
        links=("libopenblas.so.0",),
    ),
    wheel("scikit-learn kmeans", "scikit-learn==1.9.1", "KMeans of 60 000 points", 1e-5),
    wheel(
        "scikit-learn boosting",
        "scikit-learn==1.9.1",
        "boosted trees of histograms",
        1e-6,
        group=SHORT_REGIONS,
    ),
    wheel(
        "LightGBM training",
        "lightgbm==4.7.0",
        "160 trees of 60 000 rows",
        1e-9,
        calls="all",
        group=SHORT_REGIONS,
    ),
    wheel(
        "LightGBM prediction",
        "lightgbm==4.7.0",
        "100 trees, 120 000 rows, 6 times",
        1e-9,
        calls="all",
    ),
    wheel(
        "XGBoost",
        "xgboost==3.2.0",
        "150 trees of 60 000 rows",
        1e-4,
        calls="all",
        group=SHORT_REGIONS,
    ),
    wheel("faiss", "faiss-cpu==1.15.1", "exhaustive search for 4000 neighbours", 1e-6, calls="all"),
    wheel(
        "dftd4",
        "dftd4==4.3.1",
        "dispersion and forces of 125 water molecules",
        1e-8,
        group=BY_SPEED,
    ),
    wheel("tblite", "tblite==0.8.0", "the GFN2 energy of 64 water molecules", 1e-7, group=BY_SPEED),
)
