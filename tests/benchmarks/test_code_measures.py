"""The measures of benchmarks/structure.py, on sources small enough to count by hand."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import grimp
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from code_measures import density, packages


def test_tokens_are_counted_without_comments_docstrings_and_layout() -> None:
    source = '"""Doc."""\n\n# comment\ntotal = 1 + 2  # three\n"""Attribute doc."""\n'
    figures = density.density_of([source]).figures()
    assert (figures["code_tokens"], figures["code_lines"]) == (5, 1)


def test_what_makes_a_line_dense_is_counted() -> None:
    source = "def f(one, rows):\n    kept = [r for r in rows if r]\n    return kept if one else {k: 1 for k in rows}\n"
    measured = density.density_of([source])
    assert (measured.comprehensions, measured.ternaries) == (2, 1)
    assert (measured.contentless, measured.names) == (2, 5)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1", 1),
        ("if x: return 1\n  elif y: return 2\n  else: return 3", 3),
        ("for a in x:\n    while a: pass", 3),
        ("try: pass\n  except ValueError: pass\n  except KeyError: pass", 3),
        ("match x:\n    case 1: pass\n    case _: pass", 3),
        ("def inner():\n    if x: pass", 1),
    ],
)
def test_complexity_is_mccabes(body: str, expected: int) -> None:
    (function,) = ast.parse(f"def f(x, y):\n  {body}\n").body
    assert density.complexity(function) == expected


@pytest.fixture
def graph() -> grimp.ImportGraph:
    graph = grimp.ImportGraph()
    for name in ("p", "p.top", "p.top.a", "p.low", "p.low.b", "p.low.c"):
        graph.add_module(name)
    graph.add_import(importer="p.top.a", imported="p.low.b")
    return graph


LAYERS = packages.Layers("p", (("top",), ("low",)))


def test_a_downward_import_is_no_arrow_and_no_cycle(graph: grimp.ImportGraph) -> None:
    assert packages.cycles(graph) == 0
    assert packages.upward_arrows(graph, LAYERS) == []


def test_an_upward_import_is_found_and_may_close_a_cycle(
    graph: grimp.ImportGraph,
) -> None:
    graph.add_import(importer="p.low.c", imported="p.top.a")
    assert packages.upward_arrows(graph, LAYERS) == ["p.low.c -> p.top.a"]
    assert packages.cycles(graph) == 0
    graph.add_import(importer="p.low.b", imported="p.low.c")
    assert packages.cycles(graph) == 1


def test_the_layers_are_those_of_the_import_linter() -> None:
    layers = packages.layers_of_mesh()
    assert layers.level_of("judgemesh.mesh.cli.app") == 1
    assert layers.level_of("judgemesh.validators.sop") is None
