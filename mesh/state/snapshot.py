"""Snapshots of the world around a run: before, after, and the changes between them.

A harness puts the run between two snapshots and hands the difference on as the `state` of the agent result:

    from judgemesh.mesh.state.snapshot import Directory, SqlTables, watch

    with watch(Directory(path=Path("out")), SqlTables(url="sqlite:///orders.db")) as seen:
        run_the_agent()
    result["state"] = seen.state

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
from judgemesh.contracts.results import StateChange
from judgemesh.mesh.state.diff import diff
from judgemesh.mesh.state.directories import Directory
from judgemesh.mesh.state.evidence import FORMAT_KEY, parse_document
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

_VERSION: Final = 1
_MAX_BYTES: Final = 1 << 30


class Source(Protocol):
    """A part of the world. Your own kind is any object with these two."""

    @property
    def name(self) -> str:
        """The key it stands under in the snapshot."""
        ...

    def take(self) -> object:
        """What it is like now, as JSON."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonFile:
    """A JSON document, which stands in the snapshot under `name`; null while the file is not there."""

    path: Path
    name: str = "document"

    def take(self) -> object:
        """The document.

        Raises:
            InputError: the file cannot be read or holds no JSON.
        """
        try:
            return parse_document(Path(self.path).read_bytes(), str(self.path))
        except FileNotFoundError:
            return None
        except OSError as fault:
            raise InputError(
                f"cannot be read: {fault.strerror or fault}", where=str(self.path)
            ) from None


_KINDS: Final[Mapping[str, type[Directory | SqlTables | JsonFile]]] = {
    "directory": Directory,
    "sql": SqlTables,
    "json": JsonFile,
}


def snapshot(sources: Sequence[Source]) -> dict[str, object]:
    """The world now: the name of each source and what it is like.

    Raises:
        ConfigError: two sources have one name.
        InputError: a source cannot be read.
    """
    taken: dict[str, object] = {}
    for source in sources:
        if source.name in taken:
            raise ConfigError(
                f"two sources are called {source.name!r}",
                hint="give one of them another name",
            )
        taken[source.name] = source.take()
    return taken


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
        fault: BaseException | None,
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
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        from anyio import CancelScope, to_thread

        with CancelScope(shield=True):
            self.after = await to_thread.run_sync(snapshot, self.sources)


def write_snapshot(
    path: Path, sources: Sequence[Source], state: Mapping[str, object]
) -> None:
    """Write a snapshot file, which remembers what it was taken of, without passwords.

    Raises:
        InputError: the file cannot be written.
    """
    data = {
        FORMAT_KEY: _VERSION,
        "sources": [_described(source) for source in sources],
        "state": state,
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            json.dumps(data, ensure_ascii=True, allow_nan=False), encoding="utf-8"
        )
    except OSError as fault:
        raise InputError(
            f"cannot be written: {fault.strerror or fault}", where=str(path)
        ) from None


def read_snapshot(path: Path) -> tuple[list[Source], object]:
    """What a snapshot file was taken of, and the state it holds. Any other JSON document is a state by itself.

    Raises:
        InputError: the file cannot be read or is damaged.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InputError(f"larger than {_MAX_BYTES // 2**30} GiB", where=str(path))
        document = parse_document(path.read_bytes(), str(path))
    except OSError as fault:
        raise InputError(
            f"cannot be read: {fault.strerror or fault}", where=str(path)
        ) from None
    if not isinstance(document, dict) or FORMAT_KEY not in document:
        return [], cast("object", document)
    data = cast("dict[str, Any]", document)
    if data[FORMAT_KEY] != _VERSION or "state" not in data:
        raise InputError("is a snapshot of another version", where=str(path))
    return [_source(entry, path) for entry in data.get("sources", [])], data["state"]


def _described(source: Source) -> dict[str, object]:
    for kind, form in _KINDS.items():
        if isinstance(source, form):
            given = {one.name: getattr(source, one.name) for one in fields(form)}
            return {
                "kind": kind,
                **{name: _json_ready(value) for name, value in given.items()},
            }
    return {"kind": "other", "name": source.name}


def _json_ready(value: object) -> object:
    if isinstance(value, Path):
        return str(value.resolve())
    if isinstance(value, str) and "://" in value:
        from sqlalchemy.engine import make_url

        return make_url(value).render_as_string(hide_password=True)
    return (
        list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value
    )


def _source(entry: Any, path: Path) -> Source:
    try:
        form = _KINDS[entry["kind"]]
        given = {name: value for name, value in entry.items() if name != "kind"}
        for name in ("exclude", "tables"):
            if name in given:
                given[name] = tuple(given[name])
        if "path" in given:
            given["path"] = Path(given["path"])
        return cast("Source", form(**given))
    except (KeyError, TypeError):
        raise InputError("its list of sources is damaged", where=str(path)) from None
