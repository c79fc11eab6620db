"""How dense source code is: tokens a line, comprehensions, ternaries, contentless names, complexity. Pure over text."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_LAYOUT: Final = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_BRANCHES: Final = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler)
_MAX_COMPLEXITY: Final = 10

CONTENTLESS: Final = frozenset(
    [
        "one",
        "ones",
        "found",
        "given",
        "said",
        "place",
        "kept",
        "way",
        "what",
        "who",
        "whom",
        "it",
        "thing",
        "things",
        "stuff",
        "wanted",
        "seen",
        "told",
        "asked",
        "heard",
        "shown",
        "drawn",
        "made",
        "taken",
        "tmp",
        "temp",
        "foo",
        "bar",
        "obj",
        "val",
        "res",
        "ret",
    ]
)
"""Names that say nothing about the value: the reader has to look for where it came from."""


@dataclass(slots=True)
class Density:
    """Sums over source files."""

    tokens: int = 0
    code_lines: int = 0
    comprehensions: int = 0
    ternaries: int = 0
    names: int = 0
    contentless: int = 0
    complex_functions: int = 0

    def add(self, source: str) -> None:
        """Count one file in."""
        tree = ast.parse(source)
        self._add_tokens(source, docstring_lines(tree))
        for node in ast.walk(tree):
            self._add_node(node)

    def _add_tokens(self, source: str, documented: frozenset[int]) -> None:
        lines: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in _LAYOUT or token.start[0] in documented:
                continue
            self.tokens += 1
            lines.add(token.start[0])
        self.code_lines += len(lines)

    def _add_node(self, node: ast.AST) -> None:
        if isinstance(node, _COMPREHENSIONS):
            self.comprehensions += 1
        elif isinstance(node, ast.IfExp):
            self.ternaries += 1
        elif isinstance(node, _FUNCTIONS):
            self.complex_functions += complexity(node) > _MAX_COMPLEXITY
        name = bound_name(node)
        if name is not None:
            self.names += 1
            self.contentless += name in CONTENTLESS

    def figures(self) -> dict[str, float]:
        """What the JSON line shows of it."""
        lines = max(1, self.code_lines)
        return {
            "code_tokens": self.tokens,
            "code_lines": self.code_lines,
            "tokens_per_line": round(self.tokens / lines, 2),
            "comprehensions_per_1000_lines": round(
                1000 * self.comprehensions / lines, 1
            ),
            "ternaries_per_1000_lines": round(1000 * self.ternaries / lines, 1),
            "contentless_names_percent": round(
                100 * self.contentless / max(1, self.names), 2
            ),
            "functions_over_complexity_10": self.complex_functions,
        }


def docstring_lines(tree: ast.AST) -> frozenset[int]:
    """The lines of strings that stand alone as a statement: docstrings, and those below an attribute."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
            continue
        if isinstance(node.value.value, str):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(lines)


def bound_name(node: ast.AST) -> str | None:
    """The name that a node binds: a variable or a parameter."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.arg):
        return node.arg
    return None


def complexity(function: ast.AST) -> int:
    """McCabe's cyclomatic complexity of a function (IEEE TSE 2(4), 1976): decisions plus one, inner functions apart."""
    decisions = 0
    for node in _own_nodes(function):
        if isinstance(node, _BRANCHES):
            decisions += 1
        elif isinstance(node, ast.Match):
            decisions += len(node.cases)
    return decisions + 1


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    pending: list[ast.AST] = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))


def density_of(sources: Iterable[str]) -> Density:
    """The sums over several files."""
    density = Density()
    for source in sources:
        density.add(source)
    return density
