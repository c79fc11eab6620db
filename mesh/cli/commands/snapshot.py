"""`judgemesh snapshot before | after | diff`: the state of the world around a run, for harnesses of any language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judgemesh.mesh.cli.groups import group
from judgemesh.mesh.cli.options import JsonOption

if TYPE_CHECKING:
    from judgemesh.mesh.state.snapshot import Source

snapshot: Final = group(
    no_args_is_help=True,
    help="Take the state of folders, tables and JSON files before and after a run.",
)

_Folders = Annotated[
    list[str] | None,
    typer.Option(
        "--dir", metavar="[NAME=]PATH", help="A folder; NAME is `files` if left out."
    ),
]
_Databases = Annotated[
    list[str] | None,
    typer.Option(
        "--sql", metavar="[NAME=]URL", help="A database; NAME is `tables` if left out."
    ),
]
_Documents = Annotated[
    list[str] | None,
    typer.Option(
        "--doc", metavar="[NAME=]PATH", help="A JSON file; NAME is its own if left out."
    ),
]
_Tables = Annotated[
    list[str] | None,
    typer.Option("--table", metavar="NAME", help="Only these tables. Repeatable."),
]
_Excluded = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="GLOB",
        help="Leave out files of that name or relative path.",
    ),
]
_Output = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Where the snapshot is written."
    ),
]


@snapshot.command("before")
def before(
    *,
    output: _Output,
    folders: _Folders = None,
    databases: _Databases = None,
    documents: _Documents = None,
    tables: _Tables = None,
    exclude: _Excluded = None,
) -> None:
    """Take the state before the run.

    \b
    Examples:
      judgemesh snapshot before --dir workspace -o before.json
      judgemesh snapshot before --dir in=inbox --dir out=reports --sql sqlite:///orders.db --table orders -o before.json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    for _, place in map(_named, folders or []):
        _check_folder(place)
    _take(_sources(folders, databases, documents, tables, exclude), output)


@snapshot.command("after")
def after(
    first: Annotated[
        Path,
        typer.Argument(
            metavar="BEFORE", help="The snapshot before: the same places are taken."
        ),
    ],
    *,
    output: _Output,
    databases: _Databases = None,
    tables: _Tables = None,
) -> None:
    """Take the state of the same places after the run.

    A database whose URL holds a password has to be given again: a snapshot keeps none.

    \b
    Example:
      judgemesh snapshot after before.json -o after.json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.contracts.errors import ConfigError
    from judgemesh.mesh.state.snapshot import read_snapshot

    again = {
        source.name: source for source in _sources(None, databases, None, tables, None)
    }
    sources = [again.pop(source.name, source) for source in read_snapshot(first)[0]]
    if again:
        raise ConfigError(f"{first} holds no source called {next(iter(again))!r}")
    _take(sources, output, where=first)


@snapshot.command("diff")
def diff(
    first: Annotated[
        Path, typer.Argument(metavar="BEFORE", help="A snapshot, or any JSON file.")
    ],
    second: Annotated[
        Path, typer.Argument(metavar="AFTER", help="A snapshot, or any JSON file.")
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Show what changed, one line each; with --json as a list for `state.diff` of an agent result.

    \b
    Example:
      judgemesh snapshot diff before.json after.json --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import put, show_json
    from judgemesh.mesh.reporting.text import one_line, plural
    from judgemesh.mesh.state.snapshot import changes, read_snapshot

    differences = changes(read_snapshot(first)[1], read_snapshot(second)[1])
    if as_json:
        show_json(differences)
        return
    for change in differences:
        put(one_line(f"{change['op']} {change['path'] or '/'}") + "\n")
    put(f"{plural(len(differences), 'change')}\n")


def _take(sources: list[Source], output: Path, where: Path | None = None) -> None:
    from judgemesh.contracts.errors import ConfigError
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.inputs.replaceable import check_replaceable
    from judgemesh.mesh.state.snapshot import SNAPSHOT_FILE, write_snapshot
    from judgemesh.mesh.state.snapshot import snapshot as take

    if not sources:
        problem = f"{where} names no sources" if where else "nothing to take"
        raise ConfigError(problem, hint="give --dir, --sql or --doc")
    if where is not None and output.resolve() == where.resolve():
        problem = "would replace the snapshot before, which is also read"
        raise ConfigError(problem, where=str(output), hint="choose another name")
    check_replaceable(output, SNAPSHOT_FILE)
    write_snapshot(output, sources, take(sources))
    say(f"wrote {output}")


def _sources(
    folders: list[str] | None,
    databases: list[str] | None,
    documents: list[str] | None,
    tables: list[str] | None,
    exclude: list[str] | None,
) -> list[Source]:
    from judgemesh.mesh.state.snapshot import Directory, JsonFile, SqlTables

    found: list[Source] = []
    for name, place in map(_named, folders or []):
        more = (*Directory(path=Path()).exclude, *(exclude or []))
        found.append(Directory(path=Path(place), name=name or "files", exclude=more))
    for name, url in map(_named, databases or []):
        found.append(
            SqlTables(url=url, name=name or "tables", tables=tuple(tables or []))
        )
    for name, place in map(_named, documents or []):
        found.append(JsonFile(path=Path(place), name=name or Path(place).stem))
    return found


def _check_folder(place: str) -> None:
    """Raise ConfigError unless there is a folder: a name that is misspelt would look like an empty one."""
    from judgemesh.contracts.errors import ConfigError

    path = Path(place)
    if not path.exists():
        raise ConfigError(
            "no such folder",
            where=place,
            hint="if the agent is to make it, take the folder that it will be in",
        )
    if not path.is_dir():
        raise ConfigError("is no folder", where=place, hint="--doc takes a JSON file")


def _named(text: str) -> tuple[str, str]:
    """`NAME=PLACE`, or the place alone. A name is a plain word, so that a URL with `=` in it is no name."""
    name, separator, place = text.partition("=")
    return (name, place) if separator and name.isidentifier() else ("", text)
