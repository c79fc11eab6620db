"""The mutants of `benchmarks/reliability/mutation.py`, and a short form of it."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from reliability.mutating.mutants import mutants_of
from reliability.mutating.patching import put_in_place

ROOT = Path(__file__).resolve().parents[2]
CHANGES: list[tuple[str, set[str]]] = [
    ("a < 1", {"a <= 1", "a < 2"}),
    ("a + b", {"a - b"}),
    ("a and not b", {"a or not b", "a and b"}),
    ("x if c else y", {"x if not c else y"}),
    ("[x for x in y if x]", {"[x for x in y if not x]"}),
    ("min(a, True)", {"max(a, True)", "min(a, False)"}),
    ("a in 'word'", {"a not in 'word'", "a in 'xword'"}),
    ("'two words'", set()),
    ("cast('int', a)", set()),
]


@pytest.mark.parametrize(("expression", "changes"), CHANGES)
def test_the_mutants_of_an_expression(expression: str, changes: set[str]) -> None:
    found = {ast.unparse(one.tree) for one in mutants_of(f"value = {expression}")}
    assert found == {f"value = {change}" for change in changes}


def test_the_mutants_of_statements() -> None:
    source = (
        "def f(a: int = 1):\n    while a:\n        go()\n        break\n    return a"
    )
    found = [(one.line, one.after) for one in mutants_of(source)]
    assert (1, "2") in found
    assert (2, "while not a:") in found
    assert (3, "pass") in found
    assert (4, "continue") in found
    assert (5, "return None") in found


SOURCE = """
from functools import lru_cache
from dataclasses import dataclass
LIMIT = 3
def small(a): return a < LIMIT
@lru_cache
def double(a): return a * 2
@dataclass
class Pair:
    a: int = 1
    @property
    def sum(self): return self.a + 1
    @classmethod
    def of(cls): return cls(5)
"""


def test_a_mutant_takes_the_place_of_an_imported_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("judgemesh.mutated_by_a_test")
    other = ModuleType("judgemesh.importing_it")
    for one in (module, other):
        monkeypatch.setitem(sys.modules, one.__name__, one)
    exec(SOURCE, module.__dict__)  # noqa: S102 (the source above)
    names = ("small", "double", "Pair", "LIMIT")
    vars(other).update({name: vars(module)[name] for name in names})
    seen = vars(other)
    assert (seen["small"](3), seen["double"](2), seen["Pair"]().sum) == (False, 4, 2)
    changed = (
        SOURCE.replace("a < LIMIT", "a <= LIMIT")
        .replace("a * 2", "a / 2")
        .replace("self.a + 1", "self.a - 1")
        .replace("cls(5)", "cls(6)")
        .replace("LIMIT = 3", "LIMIT = 4")
    )
    put_in_place(module, ast.parse(changed))
    assert (seen["small"](4), seen["double"](2), seen["Pair"]().sum) == (True, 1, 0)
    assert (seen["Pair"].of().a, seen["LIMIT"]) == (6, 4)


def test_a_short_form() -> None:
    script = ROOT / "benchmarks" / "reliability" / "mutation.py"
    options = ["--group", "cost", "--every", "55", "--least", "0.7"]
    done = subprocess.run(
        [sys.executable, str(script), *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    figures = json.loads(done.stdout)["cost"]
    assert figures["green"]
    assert figures["mutants"] >= 4
