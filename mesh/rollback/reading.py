"""A spec file -> tasks whose paths are resolved and may be touched. Each fault is one line `file:line:column: what`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ValidationError

from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.inputs.model_problems import problems_of
from judgemesh.mesh.inputs.problems import KeyPath, Problem
from judgemesh.mesh.inputs.yaml import documents, items_of, text_of
from judgemesh.mesh.inputs.yaml_reader import YamlDocument
from judgemesh.mesh.rollback.spec import Command, Mark, RollbackTask

_SYSTEM: Final = (
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "proc",
    "sbin",
    "sys",
    "usr",
)
_MARKS: Final = ("tool_result", "write", "step", "final", "all_written")


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderPlace:
    """A folder of the world."""

    name: str
    path: Path
    exclude: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePlace:
    """A SQLite file or a JSON document of the world."""

    name: str
    path: Path
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlPlace:
    """Tables behind a URL."""

    name: str
    url: str
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A task, and where its world lies."""

    task: RollbackTask
    folder: Path
    folders: tuple[FolderPlace, ...]
    sqlite: tuple[FilePlace, ...]
    documents: tuple[FilePlace, ...]
    sql: tuple[SqlPlace, ...]

    @property
    def events(self) -> Path | None:
        """The event file that the spec names, if it names one."""
        return (
            None
            if self.task.progress.file is None
            else self.folder / self.task.progress.file
        )


def state_folder(spec: Path) -> Path:
    """Where the journal and the copies of the world lie while a spec is measured: always the same place."""
    return spec.resolve().parent / ".judgemesh" / "rollback" / spec.name


def load(spec: Path) -> list[Loaded]:
    """The tasks of a spec file: one, a list, a list under `tasks`, or several YAML documents.

    Raises:
        ContractError: with every fault in `problems`.
    """
    loaded: list[Loaded] = []
    problems: list[str] = []
    for document in documents(text_of(spec), str(spec)):
        for data, prefix in items_of(document, "tasks"):
            _load_one(spec, document, data, prefix, loaded, problems)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ContractError(problems[0] + more, problems=tuple(problems))
    if not loaded:
        raise ContractError(
            "holds no task", where=str(spec), hint="a task has task_id, agent and world"
        )
    return loaded


def _load_one(
    spec: Path,
    document: YamlDocument,
    data: Any,
    prefix: KeyPath,
    loaded: list[Loaded],
    problems: list[str],
) -> None:
    def where(path: KeyPath) -> str:
        return "{}:{}:{}".format(spec, *document.mark((*prefix, *path)))

    if not isinstance(data, dict):
        problems.append(
            f"{where(())}: expected a task (an object with `task_id`), got {type(data).__name__}"
        )
        return
    try:
        task = RollbackTask.model_validate(data)
    except ValidationError as error:
        faults_of_types = sorted(
            problems_of(error, RollbackTask),
            key=lambda problem: document.mark((*prefix, *problem.path)),
        )
        problems.extend(
            f"{where(problem.path)}: {problem}" for problem in faults_of_types
        )
        return
    if any(problem.task.task_id == task.task_id for problem in loaded):
        problems.append(
            f"{where(('task_id',))}: task_id: {task.task_id!r} stands twice"
        )
        return
    faults = [*_pattern_faults(task), *_command_faults(task, spec.parent)]
    places = _places(task, spec, faults)
    problems.extend(f"{where(problem.path)}: {problem}" for problem in faults)
    if not faults:
        loaded.append(places)


# --- what the types cannot see ---


def _pattern_faults(task: RollbackTask) -> Iterator[Problem]:
    patterns: list[tuple[KeyPath, str]] = []
    if task.documentation.pattern is not None:
        patterns.append((("documentation", "pattern"), task.documentation.pattern))
    for name in _MARKS:
        marks = cast("tuple[Mark, ...] | None", getattr(task.progress, name)) or ()
        patterns += [
            (("progress", name), mark.pattern)
            for mark in marks
            if mark.pattern is not None
        ]
    for path, pattern in patterns:
        if (fault := _pattern_fault(pattern)) is not None:
            yield Problem(path, f"not a usable pattern (RE2 syntax): {fault}")


def _pattern_fault(pattern: str) -> str | None:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        text = error.args[0] if error.args else error
        return text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    return None


def _command_faults(task: RollbackTask, folder: Path) -> Iterator[Problem]:
    commands: dict[KeyPath, Command | None] = {
        ("agent",): task.agent,
        ("reset",): task.reset,
        ("recover",): task.recover,
        ("locks", "check"): task.locks.check,
    }
    for path, command in commands.items():
        if command is not None and not (folder / command.cwd).is_dir():
            yield Problem(
                (*path, "cwd"),
                f"there is no folder {command.cwd!r} (paths start from the spec's folder)",
            )


def _places(task: RollbackTask, spec: Path, faults: list[Problem]) -> Loaded:
    """The world with its paths resolved; adds what may not be touched to the faults."""
    world, base = task.world, spec.parent
    guard = _Guard(spec)
    named: list[tuple[KeyPath, str]] = []

    def placed(
        path: KeyPath, text: str, name: str | None, *, folder: bool
    ) -> tuple[str, Path]:
        resolved = (base / text).resolve()
        fault = guard.folder(resolved) if folder else guard.file(resolved)
        if fault is not None:
            faults.append(Problem((*path, "path"), fault))
        called = name or (resolved.name if folder else resolved.stem) or "world"
        named.append((path, called))
        return called, resolved

    folders: list[FolderPlace] = []
    for index, one in enumerate(world.directories):
        called, place = placed(
            ("world", "directories", index), one.path, one.name, folder=True
        )
        folders.append(FolderPlace(name=called, path=place, exclude=tuple(one.exclude)))
    sqlite: list[FilePlace] = []
    for index, base_file in enumerate(world.sqlite):
        called, place = placed(
            ("world", "sqlite", index), base_file.path, base_file.name, folder=False
        )
        sqlite.append(
            FilePlace(name=called, path=place, tables=tuple(base_file.tables))
        )
    texts: list[FilePlace] = []
    for index, document in enumerate(world.json_files):
        called, place = placed(
            ("world", "json", index), document.path, document.name, folder=False
        )
        texts.append(FilePlace(name=called, path=place))
    sql: list[SqlPlace] = []
    for index, tables in enumerate(world.sql):
        url = tables.url or os.environ.get(tables.url_env or "", "")
        if not url:
            faults.append(
                Problem(
                    ("world", "sql", index, "url_env"),
                    f"the variable {tables.url_env} is not set",
                )
            )
        named.append((("world", "sql", index), tables.name))
        sql.append(SqlPlace(name=tables.name, url=url, tables=tuple(tables.tables)))
    faults.extend(_overlaps(folders, named))
    loaded = Loaded(
        task=task,
        folder=base.resolve(),
        folders=tuple(folders),
        sqlite=tuple(sqlite),
        documents=tuple(texts),
        sql=tuple(sql),
    )
    faults.extend(_event_faults(loaded))
    return loaded


def _overlaps(
    folders: list[FolderPlace], named: list[tuple[KeyPath, str]]
) -> Iterator[Problem]:
    places: dict[str, KeyPath] = {}
    for path, name in named:
        if name in places:
            yield Problem(
                path,
                f"two parts of the world are called {name!r}; give one of them a `name`",
            )
        places.setdefault(name, path)
    for index, folder in enumerate(folders):
        for other in folders[:index]:
            if folder.path.is_relative_to(other.path) or other.path.is_relative_to(
                folder.path
            ):
                yield Problem(
                    ("world", "directories", index, "path"),
                    f"overlaps {other.path}; name each folder once",
                )


def _event_faults(loaded: Loaded) -> Iterator[Problem]:
    if loaded.events is None:
        return
    file = loaded.events.resolve()
    if any(file.is_relative_to(place.path) for place in loaded.folders):
        hint = "keep it outside, or use $JUDGEMESH_EVENTS"
        yield Problem(
            ("progress", "file"),
            f"lies in the world, where it would count as something left behind; {hint}",
        )
    elif not file.parent.is_dir():
        yield Problem(("progress", "file"), f"there is no folder {file.parent}")


@dataclass(slots=True)
class _Guard:
    """What must never be emptied and put back: everything whose loss a spec's author cannot have meant."""

    spec: Path

    def folder(self, place: Path) -> str | None:
        """Why a folder may not be a world."""
        if place.exists() and not place.is_dir():
            return "is no folder"
        if not place.parent.is_dir():
            return f"there is no folder {place.parent}"
        if place.exists() and not os.access(place, os.R_OK | os.W_OK | os.X_OK):
            return "may not be read and written by you"
        if len(place.parts) <= 2:
            return "is the root or a top folder of this machine; a world is a folder that may be lost"
        kept = {
            "your home folder": Path("~").expanduser().resolve(),
            "the spec": self.spec.resolve(),
            "the folder you are in": Path.cwd(),
            "the running Python": Path(sys.prefix).resolve(),
            "judgemesh itself": Path(__file__).resolve(),
            "the state of this measurement": state_folder(self.spec),
        }
        repository = self._repository()
        if repository is not None:
            kept["the repository of the spec"] = repository
        for what, path in kept.items():
            if path.is_relative_to(place):
                return f"contains {what}; a world is a folder that may be lost"
        return self._inside(place)

    def file(self, path: Path) -> str | None:
        """Why a file may not be part of a world."""
        if path.exists() and not path.is_file():
            return "is no file"
        if not path.parent.is_dir():
            return f"there is no folder {path.parent}"
        if path == self.spec.resolve():
            return "is the spec"
        return self._inside(path)

    def _inside(self, path: Path) -> str | None:
        if path.parts[1] in _SYSTEM:
            return f"lies in {path.anchor}{path.parts[1]}, which belongs to the system"
        if path.is_relative_to(state_folder(self.spec).parent.parent):
            return "lies in .judgemesh, where measurements keep their own files"
        repository = self._repository()
        if repository is not None and path.is_relative_to(repository):
            return "lies in the repository's own files"
        return None

    def _repository(self) -> Path | None:
        """`.git` of the spec's repository, a folder or (in a linked work tree) a file."""
        folders = self.spec.resolve().parents
        return next(
            (folder / ".git" for folder in folders if (folder / ".git").exists()), None
        )
