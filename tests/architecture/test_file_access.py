"""Files and bodies are read in one place, `mesh/inputs/files`, which bounds them; every other way is in a table."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from .conftest import ROOT

PACKAGES: Final = ("contracts", "mesh", "prompts", "validators")
HOME: Final = "mesh/inputs/files/"
READING_METHODS: Final = frozenset(
    {"read_text", "read_bytes", "aiter_bytes", "aiter_raw", "aiter_text", "aread", "iter_bytes", "iter_raw"}
)  # fmt: skip
UNPACKERS: Final = frozenset(
    {"gzip", "zipfile", "tarfile", "bz2", "lzma", "zlib", "mmap"}
)
OTHER_WAYS: Final = {
    # Files of the installed package, which its own wheel wrote.
    "prompts/loader.py": "package data",
    "mesh/inputs/contract_templates.py": "package data; a new contract is written",
    "mesh/inputs/plugin_package.py": "package data; a new package is written",
    "mesh/integrations/promptfoo.py": "package data",
    "mesh/inputs/entry_points.py": "what installed packages offer",
    "mesh/judging/prompting/fold.py": "package data",
    "mesh/judging/prompting/languages.py": "package data",
    "mesh/reporting/html/assets.py": "package data",
    "mesh/pricing/client_library.py": "the price list of the installed litellm",
    "mesh/pricing/prices.py": "package data",
    "mesh/viewer/assets.py": "package data",
    # Answers of servers, unpacked within a bound.
    "mesh/judging/gateways/http1_connection.py": "bodies in gzip and deflate",
    # Outputs that are written.
    "mesh/analysis/conversion.py": "a new file is written",
    "mesh/isolation/serve.py": "/dev/null in place of what a library prints",
    "mesh/runs/workers/parent.py": "/dev/null in place of the streams of its parent",
    "mesh/cli/commands/view.py": "opens the browser, no file",
    "mesh/cli/commands/label.py": "the stream of its screens",
    "mesh/cli/streams.py": "/dev/null in place of a closed output",
    "mesh/judging/gateways/cassette.py": "a recording is continued",
    "mesh/ledger/maintenance/backup.py": "a copy is made for its owner alone",
    "mesh/ledger/leases.py": "/proc, to tell hosts of one name apart",
    "mesh/labelling/log.py": "labels are added",
    "mesh/ledger/request_journal.py": "requests are noted; what a process of its own left is read under its lock",
    "mesh/labelling/walk.py": "/dev/null in place of a closed output",
    "mesh/reporting/files/write.py": "outputs are written",
    "mesh/reporting/html/inert.py": "packs what a page holds; unpacks nothing",
    "mesh/runs/rejects.py": "rejected lines are written",
    "mesh/tracing/recording/recorder.py": "events are written",
    "mesh/tracing/recording/rollback_gate.py": "the pipe between an agent and its rollback test",
    # Trees: every name is opened without following a link, from the descriptor of its folder, and checked.
    "mesh/state/directories.py": "a tree is described in chunks",
    "mesh/state/trees.py": "a tree is copied in chunks",
    # Rollback: /proc, locks and pipes of the processes that it started.
    "mesh/rollback/backup.py": "a lock; a journal is written",
    "mesh/rollback/killing.py": "/proc of a process that it started",
    "mesh/rollback/outside.py": "/proc, to watch what the agent writes elsewhere",
    "mesh/rollback/process.py": "inputs and outputs of the agent's process",
    "mesh/rollback/processes.py": "/proc of a process that it started",
    "mesh/rollback/tail.py": "the pipe that wakes it",
    # What the ledger keeps packed.
    "mesh/ledger/contents.py": "packs contents of results",
    "mesh/tracing/readers/packing.py": "packs parts of traces",
    "mesh/tracing/steps/packed.py": "packs steps",
    # Injected faults.
    "mesh/testing/faults/leftovers.py": "/proc of the own process",
    "mesh/testing/faults/wire.py": "packs a body that is cut off; unpacks nothing",
    # Bodies.
    "mesh/sources/http/fetcher.py": "chunks, put together by `Body`",
}


def _modules() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def _ways(tree: ast.AST) -> Iterator[str]:
    """Everything in a module that reads or opens a file, or unpacks one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in UNPACKERS)
        elif isinstance(node, ast.ImportFrom) and node.module in UNPACKERS:
            yield str(node.module)
        elif isinstance(node, ast.Call):
            yield from _of_call(node)


def _of_call(node: ast.Call) -> Iterator[str]:
    function = node.func
    if isinstance(function, ast.Name) and function.id == "open":
        yield "open()"
    if not isinstance(function, ast.Attribute):
        return
    if function.attr in READING_METHODS:
        yield f".{function.attr}()"
    if function.attr != "open":
        return
    on = ast.unparse(function.value)
    if on == "os" or not on.split(".")[-1][:1].isupper():
        yield f"{on}.open()"


def _offences(path: Path) -> list[str]:
    return list(_ways(ast.parse(path.read_text(encoding="utf-8"))))


def test_files_are_opened_in_one_place() -> None:
    found: dict[str, list[str]] = {}
    for path in _modules():
        name = path.relative_to(ROOT).as_posix()
        ways = _offences(path)
        if ways and not name.startswith(HOME):
            found[name] = ways
    new = {name: ways for name, ways in found.items() if name not in OTHER_WAYS}
    assert not new, f"read through {HOME}, or give the reason in OTHER_WAYS: {new}"
    assert found.keys() >= OTHER_WAYS.keys(), "OTHER_WAYS names a file without need"


@pytest.mark.parametrize(
    "text",
    [
        "open('x')",
        "path.open('rb')",
        "os.open(name, flags)",
        "Path('x').read_text()",
        "self._path.read_bytes()",
        "import gzip",
        "from zipfile import ZipFile",
        "await response.aread()",
    ],
)
def test_the_rule_notices(text: str) -> None:
    assert list(_ways(ast.parse(text)))


def test_the_rule_leaves_a_ledger_alone() -> None:
    assert not list(_ways(ast.parse("Ledger.open(url)\nread_file(path, TABLE)")))
