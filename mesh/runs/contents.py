"""Which files a grading reads, and what they hold: a run and a result are the same only while these are.

The files of the contracts belong to the run: a changed source is another grading of everything. The files that a result
names belong to the result, as its line does: a changed trace or snapshot is graded again in the same run. What is read
over a network (`http`, a database server) cannot be known before it is asked, and does not count.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.mesh.grading.case.case import referenced_files, refers_to_files
from judgemesh.mesh.inputs.contents import Contents
from judgemesh.mesh.inputs.files.limits import NAMED_BY_RESULT

if TYPE_CHECKING:
    from judgemesh.mesh.config import MeshConfig
    from judgemesh.mesh.inputs.contracts import ContractSet
    from judgemesh.mesh.inputs.results import Accepted

_SQLITE: Final = re.compile(r"sqlite(?:\+\w+)?:///(?:file:)?([^?]+)")
_JOURNALS: Final = ("", "-wal")
_FOLDER_OPTIONS: Final = frozenset({"path", "folder", "directory", "dir", "root"})
_NO_FILES: Final = frozenset({"type", "query"})
_REPLAY: Final = "replay:"
_MAX_PATH_CHARS: Final = 4096


def run_contents(
    config: MeshConfig, contracts: ContractSet, contents: Contents
) -> dict[str, str]:
    """The digests of the local files that sources of the contracts and recordings of judges name, by path."""
    found: dict[str, str] = {}
    own = _own_files(config)
    for loaded in contracts.contracts:
        for name, text in _options_of(loaded.contract):
            for named in _local_paths(name, text, loaded.base_dir):
                path = named.resolve()
                if str(path) in found:
                    continue
                if path.is_dir():
                    found[str(path)] = _of_folder(path, own, contents)
                else:
                    found[str(path)] = contents.of_file(path)
    for judge in (*config.judges, config.escalate):
        if isinstance(judge, str) and judge.startswith(_REPLAY):
            path = Path(judge.removeprefix(_REPLAY)).resolve()
            found[str(path)] = contents.of_file(path)
    return found


async def with_contents(accepted: Accepted, contents: Contents) -> Accepted:
    """The result with a digest that covers the files it names. One that names none keeps the digest of its line."""
    if not refers_to_files(accepted.result):
        return accepted
    from anyio import to_thread

    digest = await to_thread.run_sync(_digest, accepted, contents)
    return replace(accepted, digest=digest)


def _digest(accepted: Accepted, contents: Contents) -> str:
    total = hashlib.sha256(accepted.digest.encode())
    for reference in referenced_files(accepted.result):
        held = contents.of_reference(
            accepted.base_dir, reference, max_bytes=NAMED_BY_RESULT.max_bytes
        )
        total.update(f"\n{reference}\0{held}".encode(errors="surrogatepass"))
    return "sha256:" + total.hexdigest()


def _options_of(contract: EvalContract) -> Iterator[tuple[str, str]]:
    """Every text in the options of the contract's sources and validators, with its key."""
    waiting: list[Any] = []
    for name in type(contract).model_fields:
        section = getattr(contract, name)
        waiting.append(getattr(section, "source", None))
        waiting.append(getattr(section, "sources", None))
    waiting += (choice.args for choice in contract.validators)
    while waiting:
        value = waiting.pop()
        if isinstance(value, list | tuple):
            waiting.extend(cast("list[Any]", value))
        if not isinstance(value, Mapping):
            continue
        for key, option in cast("Mapping[str, Any]", value).items():
            if isinstance(option, str):
                yield key, option
            else:
                waiting.append(option)


def _local_paths(name: str, text: str, base_dir: Path) -> Iterator[Path]:
    """The files or the folder that an option names; files of SQLite with their journal."""
    if name in _NO_FILES or not text or len(text) > _MAX_PATH_CHARS or "\0" in text:
        return
    database = _SQLITE.match(text)
    if database is not None:
        file = base_dir / database[1]
        for suffix in _JOURNALS:
            path = file.with_name(file.name + suffix)
            if path.is_file():
                yield path
        return
    if "://" in text:
        return
    path = base_dir / text
    try:
        if path.is_file() or (name in _FOLDER_OPTIONS and path.is_dir()):
            yield path
    except OSError:
        return


def _of_folder(folder: Path, own: Collection[str], contents: Contents) -> str:
    from judgemesh.mesh.sources.evidence.document_text import SUFFIXES

    def counts(path: Path) -> bool:
        is_own = any(str(path.absolute()).startswith(name) for name in own)
        return path.suffix.casefold() in SUFFIXES and not is_own

    return contents.of_folder(folder, counts)


def _own_files(config: MeshConfig) -> tuple[str, ...]:
    """How the names of files begin that the run itself writes."""
    from judgemesh.mesh.ledger.engines import parse_address

    if config.ledger is None:
        return ()
    path = parse_address(str(config.ledger)).path
    return () if path is None else (str(path.absolute()),)
