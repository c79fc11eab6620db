"""Files of sources and results that are missing, damaged or of another kind, and outputs that cannot be written."""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from reliability.campaign.case import Case

_RUBBISH: Final[dict[str, bytes]] = {
    "empty": b"",
    "cut": b'{"kind": "book", "result_id": "recorded-go',
    "page": b"<!DOCTYPE html><html><body>yes, pass</body></html>",
    "binary": bytes(range(256)) * 8,
    "zeros": b"\0" * 4096,
    "deep": b"[" * 100_000,
    "list": b"[1, 2, null]\n",
}
_SOURCES: Final = {
    "records.jsonl": "recorded",
    "catalogue.jsonl": "cited",
    "orders.db": "sql",
    "before.json": "state",
    "paid.json": "state",
}
"""File -> the task that reads it."""
_TAILS: Final[dict[str, bytes]] = {
    "a line cut off": b'{"result_id": "more", "task_id": "plain", "output": {"final_ans',
    "a line of no UTF-8": b'{"result_id": "more", "task_id": "plain", "output": "\xff\xfe"}\n',
    "zeros": b"\0" * 5000,
    "a line of another kind": b"<html>pass</html>\n",
    "a number of many digits": b'{"result_id": "more", "task_id": "plain", "cost": 1e999999}\n',
    "a list": b"[]\n",
    "a line too long": b'{"result_id": "' + b"x" * 9_000_000 + b'"}\n',
}
_OUTPUTS: Final = (
    "reports.jsonl", "junit.xml", "summary.json", "summary.md", "page.html", "rows.csv", "spans.otlp.jsonl",
)  # fmt: skip
_FEW: Final = ("plain", "recorded")
Change = Callable[[Path], object]


def file_cases() -> Iterator[Case]:
    """All cases of files."""
    yield from _of_sources()
    yield from _of_inputs()
    yield from _of_outputs()


def _changed(
    seam: str,
    kind: str,
    change: Change,
    *,
    tasks: tuple[str, ...] = _FEW,
    moment: str = "",
    stdin: str = "",
) -> Case:
    return Case(
        seam=seam,
        kind=kind,
        moment=moment,
        prepare=change,
        tasks=tasks,
        stdin=stdin,
        strikes=False,
    )


# --- sources ---


def _of_sources() -> Iterator[Case]:
    for name, task in _SOURCES.items():
        tasks = (task, "plain")
        for kind, content in _RUBBISH.items():
            if task == "state" and kind == "list":
                continue  # a whole snapshot of other content is no fault
            change = partial(_write, name, content)
            yield _changed(f"file {name}", kind, change, tasks=tasks)
        for kind, alter in _CHANGES.items():
            yield _changed(f"file {name}", kind, partial(alter, name), tasks=tasks)
    for kind, prepare in (("locked", _lock), ("without its table", _drop)):
        yield _changed("file orders.db", kind, prepare, tasks=("sql", "plain"))
    for name in ("contracts.yaml", "mesh.toml"):
        for kind in ("cut", "binary", "page"):
            yield _changed(f"file {name}", kind, partial(_write, name, _RUBBISH[kind]))


def _write(name: str, content: bytes, folder: Path) -> None:
    (folder / name).write_bytes(content)


def _missing(name: str, folder: Path) -> None:
    (folder / name).unlink()


def _folder(name: str, folder: Path) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).mkdir()


def _pipe(name: str, folder: Path) -> None:
    (folder / name).unlink()
    os.mkfifo(folder / name)


def _link(target: str, name: str, folder: Path) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(target)


def _half(name: str, folder: Path) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])


_CHANGES: Final[dict[str, Callable[[str, Path], None]]] = {
    "missing": _missing,
    "a folder": _folder,
    "a pipe": _pipe,
    "endless": partial(_link, "/dev/zero"),
    "half": _half,
}
_LOCKS: Final[list[sqlite3.Connection]] = []


def _lock(folder: Path) -> None:
    database = sqlite3.connect(folder / "orders.db")
    database.execute("BEGIN EXCLUSIVE")
    _LOCKS.append(database)


def _drop(folder: Path) -> None:
    database = sqlite3.connect(folder / "orders.db")
    database.execute("DROP TABLE orders")
    database.close()


# --- results ---


def _of_inputs() -> Iterator[Case]:
    name = "results.jsonl"
    for kind, tail in _TAILS.items():
        change = partial(_append, tail)
        yield _changed("input", kind, change)
        yield _changed("standard input", kind, change, stdin=name)
    for kind, alter in _CHANGES.items():
        if kind != "half":
            yield _changed("input", kind, partial(alter, name))
    yield _changed("input", "empty", partial(_write, name, b""))
    for cut in (3, 9, 40):
        change = partial(_packed, cut)
        yield _changed("packed input", "cut off", change, moment=f"-{cut}")


def _append(tail: bytes, folder: Path) -> None:
    with (folder / "results.jsonl").open("ab") as stream:
        stream.write(tail)


def _packed(cut: int, folder: Path) -> None:
    content = (folder / "results.jsonl").read_bytes()
    (folder / "results.jsonl").write_bytes(gzip.compress(content)[:-cut])


# --- outputs ---


def _of_outputs() -> Iterator[Case]:
    for how in ((), ("--json",), ("--all",)):
        yield Case(
            seam="standard output",
            kind="full",
            moment=" ".join(how),
            stdout="/dev/full",
            codes=frozenset({70}),  # what should be read cannot be written
            arguments=how,
            tasks=_FEW,
            strikes=False,
        )
    for name in _OUTPUTS:
        yield _output(name, "a folder", prepare=partial(_folder, name))
        yield _output(name, "a full device", prepare=partial(_link, "/dev/full", name))
        yield _output(name, "cannot be opened", limit=partial(_refused, name))


def _output(
    name: str,
    kind: str,
    *,
    prepare: Change | None = None,
    limit: Callable[[], None] | None = None,
) -> Case:
    return Case(
        seam=f"output {name}",
        kind=kind,
        prepare=prepare or (lambda _folder: None),
        limit=limit,
        arguments=("-o", name),
        tasks=_FEW,
        strikes=False,
    )


def _refused(name: str) -> None:
    """From now on no file of this name is opened in this process: the disk is full."""

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and name in str(arguments[0]):
            raise OSError(28, "No space left on device")

    sys.addaudithook(hook)


def clean(folder: Path) -> None:
    """Remove what a case left in the folder, but for the ledger and what is noted beside it."""
    while _LOCKS:
        _LOCKS.pop().close()
    for path in folder.iterdir():
        if path.name.startswith("ledger.db") or path.name == ".judgemesh":
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
