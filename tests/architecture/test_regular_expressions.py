"""Text of an agent meets `re` only through constant patterns, in packages that say why they need it.

The engine of `re` tries again from every character, and may take a time that grows with a power of the length. RE2
does not, and it runs the patterns that users write. It has no look-behind, which the language rules need; what those
packages use is constant, and `benchmarks/reliability/slow_patterns.py` measures that it grows linearly. A pattern that
is built when the program runs could hold words of the agent: each is named here, with what bounds it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
_RULES: Final = "language rules with look-behinds, which RE2 lacks"
_FORMATS: Final = "formats of providers and files, matched at one place"
MAY_IMPORT: Final = {
    "contracts": "identifiers, quotes and messages: look-behinds",
    "mesh/analysis": "shapes of names for a drafted contract",
    "mesh/cli": "options of the command",
    "mesh/grading": "runs of one sign; names in contracts",
    "mesh/inputs": "names of packages, YAML scalars, heads of files",
    "mesh/judging": "hostile text and replies: look-behinds, bounded repeats",
    "mesh/ledger": "characters that a database does not store",
    "mesh/pricing": _FORMATS,
    "mesh/reporting": "characters that a terminal obeys",
    "mesh/rollback": "names of agents' files",
    "mesh/runs": "paths in contracts",
    "mesh/sources": "names and character sets of documents",
    "mesh/testing": "the obedient judge, a test double",
    "mesh/tracing": _FORMATS,
    "mesh/viewer": "the host that a request names",
    "validators": _RULES,
}
"""Packages that import `re`, and why."""
BUILT_WHEN_RUN: Final = {
    "mesh/analysis/drafting/draft.py:_shape": "a table of four constant shapes",
    "mesh/analysis/drafting/observed.py:_stands_in": "a literal of at most one field",
    "mesh/judging/prompting/injection.py:_phrasing": "rows of hostile.toml, measured",
    "mesh/judging/prompting/sanitise.py:_look_alike_pattern": "one class of characters",
    "mesh/judging/replies/conclusions.py:_compiled": "a constant table",
    "mesh/rollback/leftovers.py:_mentions": "a literal: the name of a process",
    "mesh/runs/contract_trial.py:_path_glob": "a path of the contract",
    "validators/_shared/answer/expecting.py:_digits_whole": "a literal of the contract",
    "validators/_shared/answer/expecting.py:_has_phrase": "a literal of the contract",
    "validators/_shared/answer/stated.py:_marker_patterns": "markers of the contract",
    "validators/_shared/answer/indefinite.py:_indefinite": "constant tables",
    "validators/_shared/answer/placeholders/absent_words.py:_wordings": "the wordings of one table",
    "validators/_shared/answer/placeholders/blank_forms.py:_measured": "a constant table of units",
    "validators/_shared/answer/placeholders/phrases.py:wordings": "a constant table",
    "validators/_shared/answer/statements.py:_name_pattern": "names of the contract",
    "validators/_shared/answer/statements.py:_pattern": "names of the contract",
    "validators/citations/mentions.py:looks_like_id": "a constant of the module",
    "validators/claims/named_sources.py:_places": "a literal of at most 400 characters, near both ends of a sentence",
    "validators/execution/confirmation/binding.py:_surnamed": "one word before a blank",
    "validators/execution/confirmation/language/courtesies.py:_with_target": "words of the record before its number",
    "validators/execution/known_ids.py:_names": "an id of at most 200 characters",
    "validators/forbidden_content/check.py:_compile": "patterns of a constant table",
}
"""Functions that build a pattern, and what bounds it."""


def _modules() -> Iterator[tuple[str, ast.Module]]:
    """Path and syntax tree of every module that imports `re`."""
    for folder in ("contracts", "validators", "mesh"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "import re\n" not in text and "from re import" not in text:
                continue
            tree = ast.parse(text)
            if any(map(_imports_re, ast.walk(tree))):
                yield path.relative_to(ROOT).as_posix(), tree


def _imports_re(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name == "re" for alias in node.names)
    return isinstance(node, ast.ImportFrom) and node.module == "re"


def _package(path: str) -> str:
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "mesh" else parts[0]


def _built(path: str, node: ast.AST, function: str = "") -> Iterator[str]:
    """The functions that give `re` a pattern that is not written there; the innermost, each once a call."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        function = node.name
    if function and _builds(node):
        yield f"{path}:{function}"
    for child in ast.iter_child_nodes(node):
        yield from _built(path, child, function)


def _builds(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    owner = node.func.value
    if not isinstance(owner, ast.Name) or owner.id != "re" or not node.args:
        return False
    is_text = isinstance(node.args[0], ast.Constant)
    return node.func.attr not in ("escape", "purge") and not is_text


def test_every_package_that_imports_re_says_why() -> None:
    packages = {_package(path) for path, _ in _modules()}
    assert packages == MAY_IMPORT.keys()


def test_every_pattern_that_is_built_when_run_is_bounded() -> None:
    built = {name for path, tree in _modules() for name in _built(path, tree)}
    assert built == BUILT_WHEN_RUN.keys()
