"""Growth of every pattern of the code on texts that were made against it: none may grow faster than about n log n.

    python benchmarks/reliability/slow_patterns.py [--packages P ...] [--static] [--every N]

Every module is imported, and a run over the trust cases makes the patterns that are built from contracts. Each pattern
that was compiled is parsed; from its repeats, and from what stands in front of them, texts are made that let a search
begin at every character and read on: runs of one character, of the repeated part, of the part before it, and of both,
with an end that does not match. Texts for packages that read a case are shortened first, as a case is
(`mesh/grading/case/long_runs.py`).

CPU seconds are measured at 250, 1,000 and 4,000 characters, the last only where 1,000 took longer than `--floor-s`. The
exponent is the logarithm to base 4 of the last ratio: 1 is linear, 2 is quadratic.

A pattern that is not measured within 30 s is a finding, and its process is killed.

Prints one JSON line: `patterns`, `texts`, `findings` (module, pattern, text, seconds, exponent) and `worst_exponent`.
Exit code 1 when there are findings.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import json
import math
import multiprocessing
import pkgutil
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, TypeGuard, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

_FORK: Final = multiprocessing.get_context("fork")
_ENDLESS_S: Final = 30.0
_parser = cast("Any", importlib.import_module("re._parser"))
_words = cast("Any", importlib.import_module("re._constants"))
_compiler = cast("Any", importlib.import_module("re._compiler"))

PACKAGES: Final = ("judgemesh.contracts", "judgemesh.validators", "judgemesh.mesh")
MATCHED_WHOLE: Final = frozenset(
    {
        "validators._shared.answer.placeholders._FAMILIES",
        "validators._shared.answer.announced._FORMS",
        "validators._shared.numbers.numbers._FORMS",
        "mesh.grading.coverage.near_codes._LOWER_NAME",
        "mesh.grading.coverage.near_codes._UPPER_NAME",
        "mesh.grading.coverage.near_codes._CAMEL_NAME",
    }
)
"""Tables of patterns that are only used with `match` and `fullmatch`."""
READ_A_CASE: Final = ("judgemesh.validators.", "judgemesh.mesh.grading.")
"""Packages that see only texts without long runs."""
_ALPHABET: Final = "aA1 \n.-_,:/\"'(@é中"
_ENDS: Final = ("", "\x01")
_MANY: Final = 60
_MAX_TEXTS: Final = 60
_SIZES: Final = (250, 1_000, 4_000)
_SHORT_S: Final = 0.0001
"""CPU seconds for 250 characters: forty steps a character, which a quadratic search exceeds by far."""
_LONG_S: Final = 0.25
"""CPU seconds for at most 4,000 characters after which no longer text is tried."""


@dataclass(frozen=True, slots=True, order=True)
class PatternUse:
    """A pattern and the module that compiled it. `anchored`: it is only matched at the beginning of a text."""

    module: str
    pattern: str
    flags: int
    anchored: bool = False


@dataclass(frozen=True, slots=True)
class Growth:
    """The text on which a pattern grows fastest: CPU seconds at a size and at four times the size."""

    use: PatternUse
    text: str
    cpu_s: tuple[float, float]

    @property
    def exponent(self) -> float:
        """1 is linear, 2 is quadratic."""
        return math.log(max(self.cpu_s[1], 1e-9) / max(self.cpu_s[0], 1e-9), 4)

    def line(self) -> dict[str, Any]:
        """The growth as data."""
        return {
            "module": self.use.module.removeprefix("judgemesh."),
            "pattern": self.use.pattern[:160],
            "text": self.text[:40],
            "cpu_s": [round(value, 4) for value in self.cpu_s],
            "exponent": round(self.exponent, 2),
        }


def modules(packages: Iterable[str] = PACKAGES) -> Iterator[Any]:
    """Every module of the packages that can be imported without an extra."""
    for name in packages:
        package = importlib.import_module(name)
        yield package
        for found in pkgutil.walk_packages(
            getattr(package, "__path__", ()), f"{name}."
        ):
            try:
                yield importlib.import_module(found.name)
            except ImportError:
                continue


def recorded(run: Callable[[], object]) -> set[PatternUse]:
    """The patterns that modules of the project compile while `run` runs."""
    uses: set[PatternUse] = set()
    module_of_re = cast("Any", re)
    original = module_of_re._compile  # noqa: SLF001 (every function of `re` compiles through it)

    def compile_and_record(pattern: Any, flags: Any) -> Any:
        module = cast("Any", sys)._getframe(2).f_globals.get("__name__", "")  # noqa: SLF001 (the caller of a function of `re`)
        if module.startswith("judgemesh.") and isinstance(pattern, str):
            uses.add(PatternUse(module, pattern, int(flags)))
        return original(pattern, flags)

    module_of_re._compile = compile_and_record  # noqa: SLF001 (put back below)
    try:
        run()
    finally:
        module_of_re._compile = original  # noqa: SLF001 (as above)
    return uses


def of_values(module: Any) -> Iterator[PatternUse]:
    """The patterns among the values of a module, in tables too."""
    values = cast("dict[str, object]", vars(module))
    for name, value in values.items():
        for pattern in _patterns(value):
            yield PatternUse(
                module.__name__, pattern.pattern, pattern.flags, anchored(module, name)
            )


def of_calls(module: Any) -> Iterator[PatternUse]:
    """The patterns that stand as text in a call of `re`."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError):
        return
    for call in ast.walk(tree):
        name = call_name(call)
        if name is None:
            continue
        pattern = cast("ast.Call", call).args[0]
        if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str):
            only_here = name in ("match", "fullmatch")
            yield PatternUse(module.__name__, pattern.value, 0, only_here)


def call_name(node: ast.AST) -> str | None:
    """The function of `re` that a node calls."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    function = node.func
    if not isinstance(function, ast.Attribute) or not isinstance(
        function.value, ast.Name
    ):
        return None
    is_search = function.value.id == "re" and function.attr not in ("escape", "purge")
    return function.attr if is_search else None


def _patterns(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        pattern = cast("re.Pattern[Any]", value)
        if isinstance(pattern.pattern, str):
            yield pattern
    elif _makes_patterns(value):
        yield from _patterns(value(), depth + 1)
    elif depth < 4 and isinstance(value, dict):
        for pair in cast("dict[object, object]", value).items():
            yield from _patterns(pair, depth + 1)
    elif depth < 4 and isinstance(value, tuple | list | set | frozenset):
        for item in cast("tuple[object, ...]", value):
            yield from _patterns(item, depth + 1)


def _makes_patterns(value: object) -> TypeGuard[Callable[[], object]]:
    """Whether it is a function that compiles patterns when they are first needed."""
    function = getattr(value, "__wrapped__", None)
    if not inspect.isfunction(function) or function.__code__.co_argcount:
        return False
    return "re.Pattern" in str(function.__annotations__.get("return"))


def anchored(module: Any, name: str) -> bool:
    """Whether the module only uses that pattern with `match` and `fullmatch`."""
    try:
        source = inspect.getsource(module)
    except (OSError, TypeError):
        return False
    where = f"{module.__name__.removeprefix('judgemesh.')}.{name}"
    uses = set(re.findall(rf"\b{re.escape(name)}(?:\(\))?\.([a-z]+)\b", source))
    return where in MATCHED_WHOLE or (bool(uses) and uses <= {"match", "fullmatch"})


def hostile_texts(use: PatternUse) -> list[Callable[[int], str]]:
    """Makers of texts of a size, made against the pattern."""
    tree = _parser.parse(use.pattern, use.flags & ~re.DEBUG)
    pumps: dict[tuple[str, str], None] = {}
    for before, part in _repeats(tree, "", use.flags):
        for sample in part:
            pumps[before, sample] = None
            pumps["", before + sample] = None
            pumps["", sample + before] = None
        pumps["", before] = None
    for char in _ALPHABET:
        pumps["", char] = None
    made: list[Callable[[int], str]] = []
    for before, pump in pumps:
        if pump:
            made.extend(_maker(before, pump, end) for end in _ENDS)
    return made[:_MAX_TEXTS]


def _maker(before: str, pump: str, end: str) -> Callable[[int], str]:
    return lambda size: before + (pump * (size // len(pump) + 1))[:size] + end


def _repeats(items: Any, before: str, flags: int) -> Iterator[tuple[str, list[str]]]:
    """Every long repeat: what may stand in front of it, and samples of what it repeats."""
    for operation, value in items:
        if operation in (
            _words.MAX_REPEAT,
            _words.MIN_REPEAT,
            _words.POSSESSIVE_REPEAT,
        ):
            _, most, inside = value
            if most >= _MANY:
                yield before, _samples(inside, flags)
            yield from _repeats(inside, before, flags)
        elif operation is _words.SUBPATTERN:
            yield from _repeats(value[3], before, flags)
        elif operation is _words.ATOMIC_GROUP:
            yield from _repeats(value, before, flags)
        elif operation is _words.BRANCH:
            for choice in value[1]:
                yield from _repeats(choice, before, flags)
        elif operation in (_words.ASSERT, _words.ASSERT_NOT):
            yield from _repeats(value[1], before, flags)
            continue
        before += _sample([(operation, value)], flags)


def _samples(items: Any, flags: int) -> list[str]:
    """Texts that a repeated part matches: each choice of a branch, each letter of a class."""
    if len(items) == 1:
        operation, value = items[0]
        if operation is _words.BRANCH:
            return [_sample(choice, flags) for choice in value[1]]
        if operation is _words.SUBPATTERN:
            return _samples(value[3], flags)
        if operation in (_words.IN, _words.ANY, _words.NOT_LITERAL, _words.CATEGORY):
            return [
                char for char in _ALPHABET if _matches(operation, value, char, flags)
            ]
    return [_sample(items, flags)]


def _sample(items: Any, flags: int) -> str:
    """One text that a sequence matches, about."""
    parts: list[str] = []
    for operation, value in items:
        if operation is _words.LITERAL:
            parts.append(chr(value))
        elif operation in (_words.IN, _words.ANY, _words.NOT_LITERAL, _words.CATEGORY):
            parts.append(_char(operation, value, flags))
        elif operation in (
            _words.MAX_REPEAT,
            _words.MIN_REPEAT,
            _words.POSSESSIVE_REPEAT,
        ):
            parts.append(_sample(value[2], flags) * min(value[0], 80))
        elif operation is _words.SUBPATTERN:
            parts.append(_sample(value[3], flags))
        elif operation is _words.ATOMIC_GROUP:
            parts.append(_sample(value, flags))
        elif operation is _words.BRANCH:
            parts.append(_sample(value[1][0], flags))
    return "".join(parts)


def _char(operation: Any, value: Any, flags: int) -> str:
    for char in _ALPHABET:
        if _matches(operation, value, char, flags):
            return char
    if operation is _words.IN:
        for kind, inside in value:
            if kind is _words.LITERAL:
                return chr(inside)
            if kind is _words.RANGE:
                return chr(inside[0])
    return ""


def _matches(operation: Any, value: Any, char: str, flags: int) -> bool:
    key = (str(operation), repr(value), flags)
    if key not in _ELEMENTS:
        state = _parser.parse("a", flags & ~re.DEBUG)
        state.data = [(operation, value)]
        _ELEMENTS[key] = _compiler.compile(state)
    return _ELEMENTS[key].fullmatch(char) is not None


_ELEMENTS: Final[dict[tuple[str, str, int], re.Pattern[str]]] = {}
"""Single elements of patterns, compiled."""


def measured(use: PatternUse, floor_s: float) -> Growth | None:
    """The fastest growth of a pattern; None where every text of a thousand characters takes less than the floor."""
    from judgemesh.mesh.grading.case.long_runs import shortened

    shorten = use.module.startswith(READ_A_CASE)
    pattern = re.compile(use.pattern, use.flags)
    worst: Growth | None = None
    for make in hostile_texts(use):
        spent: list[float] = []
        text = ""
        for size in _SIZES:
            text = shortened(make(size)) if shorten else make(size)
            spent.append(_cpu_s(pattern, text, anchored=use.anchored))
            least = _SHORT_S if len(spent) == 1 else floor_s
            if spent[-1] > _LONG_S or spent[-1] < least:
                break
        growth = Growth(
            use, text, (spent[-2], spent[-1]) if spent[1:] else (0, spent[0])
        )
        is_slow = growth.cpu_s[1] >= floor_s
        if is_slow and (worst is None or growth.exponent > worst.exponent):
            worst = growth
        if worst is not None and worst.cpu_s[1] > _LONG_S:
            break
    return worst


def _cpu_s(pattern: re.Pattern[str], text: str, *, anchored: bool) -> float:
    """CPU seconds of this thread for all matches of the text; the least of three runs where they are short."""
    least = math.inf
    for _ in range(3):
        started = time.thread_time()
        if anchored:
            pattern.match(text)
            pattern.fullmatch(text)
        else:
            for _match in pattern.finditer(text):
                pass
        least = min(least, time.thread_time() - started)
        if least < 0.0005 or least > _LONG_S:
            break
    return least


def all_uses(
    packages: Iterable[str] = PACKAGES, *, dynamic: bool = True
) -> list[PatternUse]:
    """Every pattern of the packages; `dynamic`: also those that a run over the trust cases builds."""
    uses: set[PatternUse] = set()
    loaded: list[Any] = []

    def load() -> None:
        loaded.extend(modules(packages))

    uses |= recorded(load)
    for module in loaded:
        uses |= set(of_values(module)) | set(of_calls(module))
    if dynamic:
        from accuracy.trust_cases import grade_cases, read_cases

        uses |= recorded(lambda: grade_cases(read_cases()))
    # The same pattern once for each module; where its module says that it is only matched in front, that counts.
    known: dict[tuple[str, str], PatternUse] = {}
    for use in sorted(uses):
        if use.module.startswith("judgemesh.mesh.testing"):
            continue
        key = (use.module, use.pattern)
        if key not in known or use.anchored:
            known[key] = use
    return list(known.values())


def measured_apart(
    uses: Sequence[PatternUse], floor_s: float
) -> Iterator[Growth | None]:
    """`measured` of each use, in a process of its own: a search that does not end can only be killed."""
    begin = 0
    while begin < len(uses):
        ours, theirs = _FORK.Pipe(duplex=False)
        child = _FORK.Process(target=_send, args=(uses[begin:], floor_s, theirs))
        child.start()
        theirs.close()
        try:
            while begin < len(uses) and ours.poll(_ENDLESS_S):
                yield cast("Growth | None", ours.recv())
                begin += 1
            if begin < len(uses):
                yield Growth(
                    uses[begin],
                    "(a text that it does not end on)",
                    (1.0, _ENDLESS_S),
                )
                begin += 1
        finally:
            child.kill()
            child.join()
            ours.close()


def _send(uses: Sequence[PatternUse], floor_s: float, to: Connection) -> None:
    for use in uses:
        to.send(measured(use, floor_s))


def findings(
    uses: Sequence[PatternUse], *, floor_s: float, limit: float
) -> list[Growth]:
    """The patterns whose growth has a greater exponent than the limit."""
    return [
        growth
        for growth in measured_apart(uses, floor_s)
        if growth is not None and growth.exponent > limit
    ]


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="Growth of every pattern.")
    parser.add_argument("--floor-s", type=float, default=0.002, metavar="SECONDS")
    parser.add_argument("--limit", type=float, default=1.45, metavar="EXPONENT")
    parser.add_argument("--packages", nargs="+", default=list(PACKAGES))
    parser.add_argument("--static", action="store_true", help="no run over cases")
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="measure each N-th pattern"
    )
    options = parser.parse_args()
    uses = all_uses(options.packages, dynamic=not options.static)
    found = findings(
        uses[:: options.every], floor_s=options.floor_s, limit=options.limit
    )
    found.sort(key=lambda growth: -growth.cpu_s[1])
    line = {
        "patterns": len(uses),
        "findings": [growth.line() for growth in found],
        "worst_exponent": max((round(g.exponent, 2) for g in found), default=None),
    }
    print(json.dumps(line, ensure_ascii=False))
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
