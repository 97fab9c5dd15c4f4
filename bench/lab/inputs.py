# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of programs, made from fixed seeds so that they are the same on every machine.

A maker writes one file; MAKERS has them by the name of the file.
"""

import functools
import math
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
BASES = "ACGT"


def image(path: Path, width: int, height: int, gain: float = 1.0) -> None:
    """A portable pixmap of overlapping waves with noise; gain is its exposure."""
    noise = random.Random(1)
    columns = [math.sin(x / 37) for x in range(width)]
    with path.open("wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (width, height))
        for y in range(height):
            wave = math.cos(y / 53)
            grain = noise.randbytes(width)
            row = bytearray(3 * width)
            for channel, share in enumerate((0.9, 0.6, 0.3)):
                row[channel::3] = bytes(
                    min(255, int(gain * (110 + 50 * (share * a + wave) + (g >> 4))))
                    for a, g in zip(columns, grain)
                )
            file.write(row)


def _mutated(sequence: str, letters: str, rate: float, gaps: float, chance: random.Random) -> str:
    """A descendant: letters replaced at a rate, and runs of up to 9 left out or put in."""
    found = []
    at = 0
    while at < len(sequence):
        draw = chance.random()
        if draw < gaps / 2:
            at += chance.randrange(1, 10)
            continue
        if draw < gaps:
            found.extend(chance.choices(letters, k=chance.randrange(1, 10)))
        found.append(chance.choice(letters) if chance.random() < rate else sequence[at])
        at += 1
    return "".join(found)


def family(
    path: Path,
    count: int,
    length: int,
    letters: str,
    rate: float,
    gaps: float = 0.0,
    ancestors: int = 1,
) -> None:
    """Sequences in FASTA that descend from each other along random trees, one an ancestor."""
    chance = random.Random(count)
    known = ["".join(chance.choices(letters, k=length)) for _ in range(ancestors)]
    while len(known) < count:
        known.append(_mutated(chance.choice(known), letters, rate, gaps, chance))
    lines = (f">s{number}\n{sequence}\n" for number, sequence in enumerate(known[:count]))
    path.write_text("".join(lines))


def water(path: Path, side: int) -> None:
    """A cube of side^3 water molecules in an xyz file, each turned at random."""
    chance = random.Random(side)
    atoms = []
    for cell in range(side**3):
        center = [3.1 * (cell // side**k % side) + chance.uniform(-0.1, 0.1) for k in range(3)]
        angle = chance.uniform(0, 2 * math.pi)
        atoms.append(("O", *center))
        for turn in (angle, angle + math.radians(104.5)):
            offset = (0.96 * math.cos(turn), 0.96 * math.sin(turn), 0.0)
            atoms.append(("H", *(a + b for a, b in zip(center, offset))))
    lines = [f"{name} {x:.6f} {y:.6f} {z:.6f}\n" for name, x, y, z in atoms]
    path.write_text(f"{len(atoms)}\n\n{''.join(lines)}")


def passwords(path: Path, count: int) -> None:
    """Words to try, all different."""
    path.write_text("".join(f"word{number:06d}\n" for number in range(count)))


def hashes(path: Path, count: int) -> None:
    """Bcrypt hashes with one salt, of no word to try: john writes what it finds to the user's home,
    and would not look for it again."""
    chosen = [f"no word {number}" for number in range(count)]
    code = 'print crypt ($_, q($2b$05$abcdefghijklmnopqrstuu)), "\\n" for @ARGV'
    found = subprocess.run(
        ["perl", "-e", code, *chosen], capture_output=True, text=True, check=True
    ).stdout.split()
    path.write_text("".join(f"user{number}:{one}\n" for number, one in enumerate(found)))


def noise(path: Path, size: int) -> None:
    path.write_bytes(random.Random(size).randbytes(size))


MAKERS: dict[str, Callable[[Path], None]] = {
    "image.ppm": functools.partial(image, width=1600, height=1200),
    "dark.ppm": functools.partial(image, width=1600, height=1200, gain=0.5),
    "bright.ppm": functools.partial(image, width=1600, height=1200, gain=1.5),
    "proteins.fa": functools.partial(
        family, count=80, length=300, letters=AMINO_ACIDS, rate=0.15, gaps=0.02
    ),
    "few-proteins.fa": functools.partial(
        family, count=14, length=300, letters=AMINO_ACIDS, rate=0.15, gaps=0.02
    ),
    "many-proteins.fa": functools.partial(
        family,
        count=3000,
        length=250,
        letters=AMINO_ACIDS,
        rate=0.1,
        gaps=0.01,
        ancestors=300,
    ),
    "aligned.fa": functools.partial(family, count=120, length=900, letters=BASES, rate=0.08),
    "water.xyz": functools.partial(water, side=4),
    "more-water.xyz": functools.partial(water, side=5),
    "words": functools.partial(passwords, count=3000),
    "hashes": functools.partial(hashes, count=8),
    "noise": functools.partial(noise, size=12_000_000),
}


def make(directory: Path, name: str) -> Path:
    """The file of that name in directory, made unless it is there whole."""
    path = directory / name
    if not path.exists():
        directory.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{name}")
        MAKERS[name](partial)
        partial.rename(path)
    return path
