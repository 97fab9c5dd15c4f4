# SPDX-License-Identifier: GPL-3.0-or-later
"""Random OpenMP loops in C, C++ and Fortran that record which iterations ran.

A loop's index has any type that OpenMP allows, lies anywhere in it, next to its ends above all, and
goes up or down in any form. All loops conform to OpenMP: the index, its last increment included,
and the number of iterations can be represented in the type.
"""

from dataclasses import dataclass, field

PLACES = 10000  # that a loop over an array of the program may begin or end at

C_HEAD = """\
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>
typedef unsigned long word;
typedef __int128 int128;
typedef unsigned __int128 uint128;
struct twelve { int a[3]; };
static char buffer[1 << 17] __attribute__ ((aligned (64)));
#define WIDE(hi, lo) ((uint128) (hi) << 64 | (lo))
static inline word
mix (word h)
{
  h ^= h << 13;
  h ^= h >> 7;
  return h ^ h << 17;
}
#define KEY(i) mix ((word) (i) + 3 * (word) ((uint128) (i) >> 64))
static void
report (int loop, word n, word s, word x, word last)
{
  printf ("%d %lu %lx %lx %lx\\n", loop, n, s, x, n ? last : 0);
  fflush (stdout);
}
"""
CXX_HEAD = """\
#include <deque>
#include <iterator>
#include <vector>
template <typename D> struct Place {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = D;
  using difference_type = D;
  using pointer = const D *;
  using reference = D;
  D at;
  D operator*() const { return at; }
  Place &operator++() { ++at; return *this; }
  Place &operator--() { --at; return *this; }
  Place operator++(int) { Place old = *this; ++at; return old; }
  Place operator--(int) { Place old = *this; --at; return old; }
  Place &operator+=(D d) { at += d; return *this; }
  Place &operator-=(D d) { at -= d; return *this; }
  Place operator+(D d) const { return {D(at + d)}; }
  friend Place operator+(D d, Place p) { return p + d; }
  Place operator-(D d) const { return {D(at - d)}; }
  D operator-(Place p) const { return D(at - p.at); }
  bool operator<(Place p) const { return at < p.at; }
  bool operator<=(Place p) const { return at <= p.at; }
  bool operator>(Place p) const { return at > p.at; }
  bool operator>=(Place p) const { return at >= p.at; }
  bool operator!=(Place p) const { return at != p.at; }
};
static std::vector<int> vec(1 << 15);
static std::deque<long> deq(1 << 15);
"""
FORTRAN_HEAD = """\
module loops
  use iso_fortran_env, only: output_unit
  implicit none
contains
  pure integer(8) function mix(h)
    integer(8), intent(in) :: h
    mix = ieor(h, ishft(h, 13))
    mix = ieor(mix, ishft(mix, -7))
    mix = iand(ieor(mix, ishft(mix, 17)), int(z'FFFFFFFFFFFF', 8))
  end function
  subroutine report(loop, n, s, x, last)
    integer, intent(in) :: loop
    integer(8), intent(in) :: n, s, x, last
    print '(i0,1x,i0,1x,i0,1x,i0,1x,i0)', loop, n, s, x, merge(last, 0_8, n > 0)
    flush(output_unit)
  end subroutine
"""


@dataclass(frozen=True)
class Type:
    """A type of index: its name, what values it has, and what it is an index of."""

    name: str
    low: int
    high: int
    kind: str = "integer"  # or pointer, iterator, place
    size: int = 1  # of what a pointer points to

    @property
    def unsigned(self):
        return self.low >= 0 and self.kind in ("integer", "pointer")

    @property
    def bits(self):
        return (self.high - self.low).bit_length()

    @property
    def widest_range(self):
        """How large the difference of two values may be."""
        return self.high if self.kind != "pointer" else (1 << 62) // self.size


def integers(*names):
    """Integer types: pairs of a name and a width, negative if signed."""
    return [
        Type(name, -(1 << (-bits - 1)) if bits < 0 else 0,
             (1 << (-bits - 1) if bits < 0 else 1 << bits) - 1)
        for name, bits in names
    ]  # fmt: skip


BOTH = integers(
    ("char", -8), ("signed char", -8), ("unsigned char", 8), ("short", -16), ("unsigned short", 16),
    ("int", -32), ("unsigned", 32), ("long", -64), ("unsigned long", 64), ("long long", -64),
    ("unsigned long long", 64), ("int128", -128), ("uint128", 128), ("wchar_t", -32),
    ("uintptr_t", 64), ("int", -32), ("long", -64), ("unsigned", 32),
)  # fmt: skip
# No pointer is null: neither arithmetic nor a comparison with < or > may get to it.
POINTERS = [
    Type(f"{name} *", 1, (1 << 64) // size - 1, "pointer", size)
    for name, size in [("char", 1), ("const short", 2), ("int", 4), ("struct twelve", 12)]
]
# Not of enumerations: GCC 12 fails in omp_extract_for_data if an index is one, routed or not.
TYPES = {
    "c": BOTH + POINTERS,
    "cc": BOTH + POINTERS + integers(("char16_t", 16), ("char32_t", 32))
    + [
        Type(name, 0, (1 << 15) - 1, "iterator")
        for name in ("std::vector<int>::iterator", "std::vector<int>::const_reverse_iterator",
                     "std::deque<long>::iterator")
    ]
    + [
        Type(f"Place<{t.name}>", t.low, t.high, "place")
        for t in integers(("short", -16), ("int", -32), ("long", -64), ("int128", -128))
    ],
    "f90": integers(*((f"integer({-b // 8})", b) for b in (-8, -16, -32, -32, -64, -128))),
}  # fmt: skip


@dataclass
class Index:
    """One loop of a nest: from START by STEP, TRIPS times; BOUND is what COND compares with."""

    type: Type
    start: int
    step: int
    trips: int
    cond: str
    bound: int
    start_known: bool  # to the compiler
    bound_known: bool
    step_known: bool
    form: int  # of the increment
    buffered: bool  # a pointer or an iterator into an array, not just any address
    turned: bool  # the comparison is written the other way round


@dataclass
class Loop:
    """A nest with its construct, and where it is in a program."""

    number: int
    nest: list
    construct: str
    schedule: str = ""  # of its clause
    ordered: bool = False
    last: str = ""  # lastprivate of: nothing, a variable, the index
    lines: list = field(default_factory=list)  # of its function, with what that needs
    first_line: int = 0

    @property
    def trips(self):
        product = 1
        for index in self.nest:
            product *= index.trips
        return product

    @property
    def countable(self):
        """Whether GCC compiles it correctly under a schedule of the run time."""
        types = [i.type for i in self.nest]
        down = self.nest[0].step < 0 and len(types) == 1
        narrow = types[0].kind == "integer" and types[0].unsigned and types[0].bits < 64
        return all(t.bits <= 64 for t in types) and not (down and narrow)

    @property
    def routed(self):
        """Whether --amp-route=static routes it; None: it may."""
        # GCC moves a class iterator on from where the thread's last iteration left it.
        if self.schedule and any(i.type.kind in ("iterator", "place") for i in self.nest):
            return None if self.countable else False
        orphan = self.construct.startswith("orphaned")
        return self.countable and not self.ordered and not (self.schedule and orphan)


def choose_index(rng, type, most):
    """A random loop over TYPE of at most MOST iterations."""
    room = type.widest_range
    trips = rng.choice([0, 1, 2, 3, rng.randint(4, 20), rng.randint(4, 300), rng.randint(4, 1500)])
    trips = min(trips, most, room - 1 if type.bits < 16 else most)
    # Upstream's dynamic and guided go wrong if a chunk times the step overflows.
    largest = max(1, min(room // (trips + 1) - 1, room >> 8 if type.bits >= 64 else room))
    step = rng.choice([1, 1, 1, rng.randint(2, 9), rng.randint(1, largest)])
    step = min(step, largest)
    up = rng.random() < 0.55
    width = trips * step
    lowest = [type.low, type.high - width, -(width // 2)]
    lowest += [(1 << bit) - width // 2 for bit in (7, 8, 15, 16, 31, 32, 63, 64)]
    lowest.append(rng.randint(type.low, type.high - width))
    buffered = type.kind == "iterator" or (type.kind == "pointer" and rng.random() < 0.5)
    if buffered:
        step = min(step, 9, (PLACES - 1) // max(trips, 1))
        width = trips * step
        lowest = [rng.randint(type.low, PLACES - width)]
    low = rng.choice([v for v in lowest if type.low <= v <= type.high - width])
    start = low if up else low + width
    sign = 1 if up else -1
    cond = rng.choice(["<", "<=", "!="] if up else [">", ">=", "!="])
    if cond == "!=" and step != 1:
        cond = "<" if up else ">"
    if trips == 0:
        # At or before the start.
        before = start - type.low if up else type.high - start
        far = min(before, room if type.unsigned and type.kind == "integer" else room // 4)
        near = rng.choice([0, 1, 1 if buffered else rng.randint(0, far)])
        bound = start - sign * (0 if cond == "!=" else near)
        if "=" in cond and cond != "!=":
            bound -= sign
        if not type.low <= bound <= type.high:
            bound = start
            cond = {"<=": "<", ">=": ">"}.get(cond, cond)
    elif cond == "!=":
        bound = start + sign * width
    else:
        span = width - rng.randint(0, step - 1)
        bound = start + sign * (span - (1 if "=" in cond else 0))
    known = [rng.random() < 0.5 for _ in range(3)]
    if bound in (type.low, type.high):
        known[1] = False  # GCC refuses a comparison whose result it knows
    return Index(type, start, sign * step, trips, cond, bound, *known, rng.randint(0, 3), buffered,
                 rng.random() < 0.2)  # fmt: skip


def choose_loop(rng, language, number):
    """Loop NUMBER of a program in LANGUAGE."""
    depth = rng.choice([1, 1, 1, 1, 2, 2, 3])
    types = [rng.choice(TYPES[language]) for _ in range(depth)]
    # GCC counts a static nest in an unsigned type as wide as its widest index.
    narrow = depth > 1 and max(t.bits for t in types) <= 8
    most = {1: 1500, 2: 10 if narrow else 40, 3: 5 if narrow else 10}[depth]
    nest = [choose_index(rng, type, most) for type in types]
    loop = Loop(number, nest, rng.choice(["combined", "combined", "inner", "nowait", "orphaned"]))
    loop.schedule = "static" if rng.random() < 0.2 else ""
    # GCC starts any ordered loop at the run time, and compiles those wrongly that are not routed.
    loop.ordered = loop.countable and rng.random() < 0.04
    if not loop.ordered and rng.random() < 0.4:
        loop.last = "index" if depth == 1 and rng.random() < 0.5 else "variable"
    if loop.last == "index" and nest[0].type.kind in ("iterator", "place"):
        loop.last = "variable"
    plain = all(i.type.kind == "integer" for i in nest) and not loop.last and not loop.ordered
    # gfc_trans_omp_do of GCC 12 fails for a simd nest with a step that it does not know.
    if plain and not (language == "f90" and depth > 1) and rng.random() < 0.15:
        loop.construct += " simd"
    return loop


# C and C++.


def literal(type, value):
    """VALUE as an expression of TYPE."""
    if type.kind == "pointer":
        return f"(({type.name}) {value * type.size}UL)"
    if type.kind == "iterator":
        begin = ("vec.crbegin()" if "reverse" in type.name
                 else "vec.begin()" if "vector" in type.name else "deq.begin()")  # fmt: skip
        return f"({begin} + {value})"
    if type.kind == "place":
        return f"{type.name}{{{number(type, value)}}}"
    return f"(({type.name}) {number(type, value)})"


def number(type, value):
    """VALUE as an expression, of TYPE or a type that converts to it."""
    if not -(1 << 63) < value < 1 << 64:
        value %= 1 << 128
        return f"(int128) WIDE ({value >> 64}UL, {value % (1 << 64)}UL)"
    return f"{value}UL" if value >= 1 << 63 else f"{value}L"


def c_value(loop, name, index, value, known, lines):
    """An expression of VALUE, read from a volatile variable unless the compiler is to know it."""
    type = index.type
    variable = f"{name}_{loop.number}"
    if type.kind in ("pointer", "iterator"):
        text = literal(type, value)
        if type.kind == "pointer" and index.buffered:
            text = f"(({type.name}) buffer + {value})"
        if known:
            return text
        lines.append(f"static volatile long {variable};")
        if type.kind == "pointer" and not index.buffered:
            return f"(({type.name}) ({value * type.size}UL + {variable}))"
        return f"({text} + {variable})"
    if known:
        return literal(type, value)
    if type.kind == "place":
        inner = type.name[len("Place<") : -1]
        lines.append(f"static volatile {inner} {variable} = {number(type, value)};")
        return f"{type.name}{{{variable}}}"
    lines.append(f"static volatile {type.name} {variable} = {literal(type, value)};")
    return variable


def step_type(index):
    """The type of a variable that INDEX's step is in."""
    if index.type.kind == "place":
        return index.type.name[len("Place<") : -1]
    return index.type.name if index.type.kind == "integer" else "long"


def c_increment(name, index, size):
    """The increment of index NAME by SIZE in one of its forms."""
    up = index.step > 0
    if abs(index.step) == 1 and (index.cond == "!=" or index.form < 2):
        forms = ["{0}++", "++{0}"] if up else ["{0}--", "--{0}"]
        return forms[index.form % 2].format(name)
    if up:
        forms = ["{0} += {1}", "{0} = {0} + {1}", "{0} = {1} + {0}", "{0} += {1}"]
        return forms[index.form].format(name, size)
    if index.form == 3 and not index.type.unsigned and index.type.kind == "integer":
        return f"{name} += -({size})"
    return ["{0} -= {1}", "{0} = {0} - {1}"][index.form % 2].format(name, size)


def c_key(index, name):
    """The number of the iteration of INDEX, as an expression."""
    type = index.type
    if type.kind == "pointer":
        return f"mix ((word) {name}{' - (word) buffer' if index.buffered else ''})"
    if type.kind == "iterator":
        return f"mix ({name} - {literal(type, 0)})"
    return f"KEY ({name}{'.at' if type.kind == 'place' else ''})"


def clauses_of(loop, schedule, start):
    """The clauses of LOOP in any language; START are its own."""
    clauses = list(start)
    if len(loop.nest) > 1:
        clauses.append(f"collapse({len(loop.nest)})")
    if schedule:
        clauses.append(f"schedule({schedule})")
    if loop.ordered:
        clauses.append("ordered")
    elif loop.last:
        clauses.append(f"lastprivate({'i' if loop.last == 'index' else 'last'})")
    return clauses


def c_heads(loop, names, before, texts):
    """The heads of the loops of LOOP's nest; what they need goes to BEFORE the function and to its
    TEXTS."""
    heads = []
    for name, index in zip(names, loop.nest):
        start = c_value(loop, f"{name}_start", index, index.start, index.start_known, before)
        bound = c_value(loop, f"{name}_bound", index, index.bound, index.bound_known, before)
        for what, value in ("from", start), ("to", bound):
            texts.append(f"  {index.type.name} {name}_{what} = {value};")
        first = start if index.start_known else f"{name}_from"
        last = bound if index.bound_known else f"{name}_to"
        size = number(index.type, abs(index.step))
        if not index.step_known:
            volatile, type = f"{name}_step_{loop.number}", step_type(index)
            before.append(f"static volatile {type} {volatile} = {size};")
            texts.append(f"  {type} {name}_by = {volatile};")
            size = f"{name}_by"
        test = f"{name} {index.cond} {last}"
        if index.turned:
            opposite = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}[index.cond]
            test = f"{last} {opposite} {name}"
        declared = "" if loop.last == "index" else f"{index.type.name} "
        heads.append(f"for ({declared}{name} = {first}; {test}; {c_increment(name, index, size)})")
    return heads


def c_body(loop, names):
    """What an iteration of LOOP does."""
    key = "0"
    for name, index in zip(names, loop.nest):
        key = f"mix (31 * ({key}) + {c_key(index, name)})"
    body = ["{", f"  word h = {key};", "  n++;", "  s += h;", "  x ^= h;"]
    if loop.last == "variable":
        body.append("  last = h;")
    if loop.ordered:
        body += ["  #pragma omp ordered", "  last = h + 3 * last;"]
    return [*body, "}"]


def c_orphaned(loop, directive, texts, nest, finish):
    """LOOP in a function of its own that a team calls, with its variables outside."""
    name, outside = f"loop_{loop.number}", loop.last == "index"
    names_ = ", ".join(f"{v}_{loop.number}" for v in ("n", "s", "x", "last"))
    shared = [f"static word {names_};"]
    if outside:
        shared.append(f"static {loop.nest[0].type.name} i_{loop.number};")
    rename = [f"#define {v} {v}_{loop.number}" for v in ("n", "s", "x", "last")]
    rename += [f"#define i i_{loop.number}"] * outside
    undo = ["#undef " + line.split()[1] for line in rename]
    locals_ = [t for t in texts if t != f"  {loop.nest[0].type.name} i;"]
    text = [*rename, "__attribute__ ((noinline)) static void", f"team_{name} (void)", "{",
            *locals_, directive, *nest, "}",
            "static void", f"{name} (void)", "{", "#pragma omp parallel",
            f"  team_{name} ();", *finish, *undo, "}"]  # fmt: skip
    return shared + text


def write_c(loop, schedule):
    """The lines of LOOP's function in C or C++, and of what it needs, with SCHEDULE if any."""
    before, texts = [], []
    names = ["i", "j", "k"][: len(loop.nest)]
    outside = loop.last == "index"
    heads = c_heads(loop, names, before, texts)
    if outside:
        texts.append(f"  {loop.nest[0].type.name} i;")
    clauses = clauses_of(loop, schedule, ["reduction(+:n, s)", "reduction(^:x)"])
    construct, _, simd = loop.construct.partition(" ")
    simd = f" {simd}" if simd else ""
    nest = [f"  {'  ' * depth}{head}" for depth, head in enumerate(heads)]
    nest += [f"  {'  ' * len(heads)}{line}" for line in c_body(loop, names)]
    after = ["  last = " + c_key(loop.nest[0], "i") + ";"] if outside else []
    counters = "  word n = 0, s = 0, x = 0, last = 0;"
    name = f"loop_{loop.number}"
    finish = [*after, f"  report ({loop.number}, n, s, x, last);"]
    text = ["static void", f"{name} (void)", "{", counters, *texts]
    if construct == "combined":
        text += [f"#pragma omp parallel for{simd} {' '.join(clauses)}", *nest]
    elif construct == "orphaned":
        directive = f"#pragma omp for{simd} {' '.join(clauses)}"
        return before + c_orphaned(loop, directive, texts, nest, finish)
    else:
        nowait = " nowait" if construct == "nowait" else ""
        text += ["#pragma omp parallel", "  {",
                 f"#pragma omp for{simd} {' '.join(clauses)}{nowait}", *nest, "  }"]  # fmt: skip
    return before + text + finish + ["}"]


# Fortran.


def fortran_literal(type, value):
    """VALUE as an expression of TYPE."""
    kind = type.name[len("integer(") : -1]
    if value == type.low:
        return f"(-{type.high}_{kind} - 1_{kind})"
    return f"(-{-value}_{kind})" if value < 0 else f"{value}_{kind}"


def fortran_key(index, name):
    if index.type.bits > 64:
        return (f"mix(ieor(int(iand({name}, {(1 << 62) - 1}_16), 8), "
                f"int(iand(ishft({name}, -62), {(1 << 62) - 1}_16), 8)))")  # fmt: skip
    return f"mix(int({name}, 8))"


def fortran_heads(loop, names, declarations, values):
    """The heads of the loops of LOOP's nest; what they need goes to DECLARATIONS and VALUES."""
    heads = []
    for name, index in zip(names, loop.nest):
        declarations.append(f"    {index.type.name} :: {name}")
        parts = []
        # The last value that there may be is all that Fortran knows of the bound.
        sign = 1 if index.step > 0 else -1
        first, bound = index.start, index.bound
        if index.cond in ("<", ">", "!="):
            bound -= sign
        if not index.type.low <= bound <= index.type.high:
            first, bound = first + sign, first  # of no iterations, at the end
        for what, value, known in (
            ("from", first, index.start_known),
            ("to", bound, index.bound_known),
            ("by", index.step, index.step_known),
        ):
            text = fortran_literal(index.type, value)
            if not known:
                declarations.append(f"    {index.type.name}, volatile :: {name}_{what}")
                values.append(f"    {name}_{what} = {text}")
                text = f"{name}_{what}"
            parts.append(text)
        if index.step == 1 and index.step_known and index.form < 2:
            parts.pop()
        heads.append(f"do {name} = {', '.join(parts)}")
    return heads


def fortran_body(loop, names):
    """What an iteration of LOOP does."""
    key = "0_8"
    for name, index in zip(names, loop.nest):
        key = f"mix(ieor(ishftc({key}, 7), {fortran_key(index, name)}))"
    body = [f"h = {key}", "n = n + 1", "s = s + ishft(h, -16)", "x = ieor(x, h)"]
    if loop.last == "variable":
        body.append("last = h")
    if loop.ordered:
        body += ["!$omp ordered", "last = mix(h + last)", "!$omp end ordered"]
    return body


def fortran_orphaned(loop, directive, start, zero, nest, finish):
    """LOOP in a subroutine of its own that a team calls, with its variables outside."""
    declarations = start[1:]
    local = [line.replace(":: n, s, x, h, last", ":: h") for line in start]
    outer = [d for d in declarations if loop.last == "index" and d.endswith(":: i")]
    local = [d for d in local if d not in outer]
    saved = [d.replace(" ::", ", save ::") for d in outer]
    text = ["    integer(8), save :: n, s, x, last", *saved, *zero,
            "    !$omp parallel", f"    call team_{loop.number}()", "    !$omp end parallel",
            *finish[:-1], "  contains", f"    subroutine team_{loop.number}()", *local,
            directive, *nest, "    end subroutine"]  # fmt: skip
    return text + finish[-1:]


def write_fortran(loop, schedule):
    """The lines of LOOP's subroutine in Fortran, with SCHEDULE if any."""
    declarations, values = [], []
    names = ["i", "j", "k"][: len(loop.nest)]
    heads = fortran_heads(loop, names, declarations, values)
    start = ["reduction(+:n, s)", "reduction(ieor:x)", "private(h)"]
    clauses = clauses_of(loop, schedule, start)
    construct, _, simd = loop.construct.partition(" ")
    simd = f" {simd}" if simd else ""
    nest = [f"    {head}" for head in heads] + [
        f"      {line}" for line in fortran_body(loop, names)
    ]
    nest += ["    end do"] * len(heads)
    start = ["    integer(8) :: n, s, x, h, last", *declarations, *values]
    zero = ["    n = 0", "    s = 0", "    x = 0", "    last = 0"]
    finish = [f"    last = {fortran_key(loop.nest[0], 'i')}"] * (loop.last == "index")
    finish += [f"    call report({loop.number}, n, s, x, last)", "  end subroutine"]
    head = [f"  subroutine loop_{loop.number}()"]
    if construct == "combined":
        text = [f"    !$omp parallel do{simd} {' '.join(clauses)}", *nest]
    elif construct == "orphaned":
        directive = f"    !$omp do{simd} {' '.join(clauses)}"
        return head + fortran_orphaned(loop, directive, start, zero, nest, finish)
    else:
        end = f"    !$omp end do{simd}{' nowait' if construct == 'nowait' else ''}"
        clauses.remove("private(h)")
        text = ["    !$omp parallel private(h)", f"    !$omp do{simd} {' '.join(clauses)}",
                *nest, end, "    !$omp end parallel"]  # fmt: skip
    return head + start + zero + text + finish


# Files.


def program_text(language, loops, schedules=None):
    """The text of a program of LOOPS in LANGUAGE; notes in them where they are.

    SCHEDULES: schedules by loop number, in place of the loops' own. They move no line.
    """
    schedules = schedules or {}
    write = write_fortran if language == "f90" else write_c
    lines = {
        "c": C_HEAD,
        "cc": C_HEAD + CXX_HEAD,
        "f90": FORTRAN_HEAD,
    }[language].splitlines()
    for loop in loops:
        loop.first_line = len(lines) + 1
        loop.lines = write(loop, loop.schedule)
        lines += write(loop, schedules[loop.number]) if loop.number in schedules else loop.lines
    names = [f"loop_{loop.number}" for loop in loops]
    if language == "f90":
        lines += ["end module", "program all", "  use loops"]
        lines += [f"  call {name}()" for name in names] + ["end program"]
    else:
        lines += ["int", "main (void)", "{", *(f"  {name} ();" for name in names), "}"]
    return "\n".join(lines) + "\n"
