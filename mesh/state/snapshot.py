"""Snapshots of the state around a run: before, after, and the changes between them.

A harness takes one snapshot before and one after the run and puts both into the `state` of the agent result:

    from judgemesh.mesh.state.snapshot import Directory, SqlTables, watch

    with watch(Directory(path=Path("out")), SqlTables(url="sqlite:///orders.db")) as watched:
        run_the_agent()
    result["state"] = watched.state

`async with` does the same without blocking the event loop.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self, cast

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.contracts.result_parts.changes import StateChange
from judgemesh.mesh.inputs.files.limits import SNAPSHOT
from judgemesh.mesh.inputs.files.reading import read_file
from judgemesh.mesh.inputs.replaceable import write_replaceable
from judgemesh.mesh.state.diff import diff
from judgemesh.mesh.state.directories import Directory
from judgemesh.mesh.state.json_document import SNAPSHOT_KEY, parse_document
from judgemesh.mesh.state.tables import SqlTables

__all__ = [
    "Directory",
    "JsonFile",
    "Source",
    "SqlTables",
    "changes",
    "read_snapshot",
    "snapshot",
    "watch",
]

SNAPSHOT_FILE: Final = "snapshot"
"""The kind of a snapshot file, which only a snapshot replaces."""
_VERSION: Final = 1


class Source(Protocol):
    """A part of the state. Your own kind is any object with these two."""

    @property
    def name(self) -> str:
        """Its key in the snapshot."""
        ...

    def take(self) -> object:
        """Its state now, as JSON."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonFile:
    """A JSON document; its key in the snapshot is `name`. Null while the file does not exist."""

    path: Path
    name: str = "document"

    def take(self) -> object:
        """The document.

        Raises:
            InputError: the file cannot be read or holds no JSON.
        """
        try:
            return parse_document(read_file(Path(self.path), SNAPSHOT), str(self.path))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror or error}", where=str(self.path)
            ) from None


_KINDS: Final[Mapping[str, type[Directory | SqlTables | JsonFile]]] = {
    "directory": Directory,
    "sql": SqlTables,
    "json": JsonFile,
}


def snapshot(sources: Sequence[Source]) -> dict[str, object]:
    """The state now: the state of each source under its name.

    Raises:
        ConfigError: two sources have the same name.
        InputError: a source cannot be read.
    """
    state: dict[str, object] = {}
    for source in sources:
        if source.name in state:
            raise ConfigError(
                f"two sources are called {source.name!r}",
                hint="give one of them another name",
            )
        state[source.name] = source.take()
    return state


def changes(before: object, after: object) -> list[dict[str, object]]:
    """The difference as a ready diff: `{path, op, before, after}` with RFC 6902 pointers."""
    return [_plain(change) for change in diff(before, after)]


def _plain(change: StateChange) -> dict[str, object]:
    sides: dict[str, object] = {
        side: getattr(change, side)
        for side in ("before", "after")
        if side in change.model_fields_set
    }
    return {"path": change.path, "op": change.op, **sides}


@dataclass(slots=True)
class watch:  # noqa: N801 (used as a statement: `with watch(...)`)
    """Takes a snapshot on entering and one on leaving, however the block ends. Sync or async.

    `before` and `after` are the snapshots; `state` is ready for an agent result.
    """

    sources: tuple[Source, ...]
    before: dict[str, object] = field(default_factory=dict[str, object])
    after: dict[str, object] = field(default_factory=dict[str, object])

    def __init__(self, *sources: Source) -> None:
        self.sources = sources
        self.before, self.after = {}, {}

    @property
    def state(self) -> dict[str, object]:
        """The `state` of an agent result: both snapshots, so that a check may look at what did not change too."""
        return {"before": self.before, "after": self.after}

    @property
    def diff(self) -> list[dict[str, object]]:
        """The changes alone."""
        return changes(self.before, self.after)

    def __enter__(self) -> Self:
        self.before = snapshot(self.sources)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.after = snapshot(self.sources)

    async def __aenter__(self) -> Self:
        from anyio import to_thread

        self.before = await to_thread.run_sync(snapshot, self.sources)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        from anyio import CancelScope, to_thread

        with CancelScope(shield=True):
            self.after = await to_thread.run_sync(snapshot, self.sources)


def write_snapshot(
    path: Path, sources: Sequence[Source], state: Mapping[str, object]
) -> None:
    """Write a snapshot file: the state, and its sources without passwords.

    Raises:
        ConfigError: the file cannot be written, or is no snapshot and would be lost.
    """
    data = {
        SNAPSHOT_KEY: _VERSION,
        "sources": [_describe(source) for source in sources],
        "state": state,
    }
    text = json.dumps(data, ensure_ascii=True, allow_nan=False)
    write_replaceable(path, text, SNAPSHOT_FILE)


def read_snapshot(path: Path) -> tuple[list[Source], object]:
    """The sources and the state of a snapshot file. Any other JSON document is itself a state, without sources.

    Raises:
        InputError: the file cannot be read or is damaged.
    """
    try:
        document = parse_document(read_file(path, SNAPSHOT), str(path))
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror or error}", where=str(path)
        ) from None
    if not isinstance(document, dict) or SNAPSHOT_KEY not in document:
        return [], cast("object", document)
    data = cast("dict[str, Any]", document)
    if data[SNAPSHOT_KEY] != _VERSION or "state" not in data:
        raise InputError("is a snapshot of another version", where=str(path))
    sources = [_source(entry, path) for entry in data.get("sources", [])]
    return sources, data["state"]


def _describe(source: Source) -> dict[str, object]:
    """A source as JSON, so that `_source` can open it again; only the name for a kind of your own."""
    for kind, source_class in _KINDS.items():
        if isinstance(source, source_class):
            description: dict[str, object] = {"kind": kind}
            for field_ in fields(source_class):
                description[field_.name] = _as_json(getattr(source, field_.name))
            return description
    return {"kind": "other", "name": source.name}


def _as_json(value: object) -> object:
    if isinstance(value, Path):
        return str(value.resolve())
    if isinstance(value, str) and "://" in value:
        from sqlalchemy.engine import make_url

        return make_url(value).render_as_string(hide_password=True)
    if isinstance(value, tuple):
        return list(cast("tuple[object, ...]", value))
    return value


def _source(entry: Any, path: Path) -> Source:
    try:
        source_class = _KINDS[entry["kind"]]
        arguments = {name: value for name, value in entry.items() if name != "kind"}
        for name in ("exclude", "tables"):
            if name in arguments:
                arguments[name] = tuple(arguments[name])
        if "path" in arguments:
            arguments["path"] = Path(arguments["path"])
        return cast("Source", source_class(**arguments))
    except (KeyError, TypeError):
        raise InputError("its list of sources is damaged", where=str(path)) from None
