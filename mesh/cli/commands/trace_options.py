"""Options that the commands of `judgemesh trace` share: which traces they read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from datetime import datetime

    from judgemesh.mesh.analysis.traces import MalformedCount, TraceQuery

FilesArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE]...", help="Trace files, or folders of them; see also --ledger."
    ),
]
FromLedgerOption = Annotated[
    str | None,
    typer.Option(
        "--ledger", metavar="URL", help="Read the traces of a ledger instead of files."
    ),
]
TraceIdOption = Annotated[
    str | None,
    typer.Option(
        "--trace", metavar="ID", help="Only traces whose id is this or begins so."
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of the files; auto detects it from the content.",
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="TIME",
        help="Only runs that began then or later: 2026-04-28, 2026-04-28T10:00, or 7d, 12h, 30m ago.",
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="Only runs that began before that."),
]
AgentOption = Annotated[
    str | None,
    typer.Option("--agent", metavar="ID", help="Only runs in which this agent works."),
]
SkillOption = Annotated[
    str | None,
    typer.Option("--skill", metavar="ID", help="Only runs with this skill."),
]


ContractsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--contracts",
        "-c",
        metavar="PATH",
        help="Contracts whose registry of tools (tools.registry) says which tools write.",
    ),
]


def query_of(  # noqa: PLR0913 (one argument an option)
    files: list[Path] | None,
    ledger: str | None,
    *,
    trace_id: str | None = None,
    trace_format: str = "auto",
    prices: Path | None = None,
    since: str | None = None,
    until: str | None = None,
    agent: str | None = None,
    skill: str | None = None,
    contracts: list[Path] | None = None,
) -> TraceQuery:
    """The query that the options make.

    Raises:
        ConfigError: neither files nor a ledger, both, or a time that cannot be read.
    """
    from judgemesh.mesh.analysis.traces import TraceQuery

    return TraceQuery(
        files=tuple(files or ()),
        ledger=ledger,
        trace_id=trace_id,
        format=trace_format,
        prices=prices,
        since=time_of("--since", since),
        until=time_of("--until", until),
        agent=agent,
        skill=skill,
        contracts=tuple(contracts or ()),
    )


def time_of(option: str, text: str | None) -> datetime | None:
    """A time as text: a date, a time (without a zone: UTC), or how long ago.

    Raises:
        ConfigError: it is none of these.
    """
    import re
    from datetime import UTC, datetime, timedelta

    from judgemesh.contracts.errors import ConfigError

    if text is None:
        return None
    ago = re.fullmatch(r"(\d{1,6})([mhdw])", text.strip())
    if ago is not None:
        units = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
        return datetime.now(UTC) - timedelta(**{units[ago[2]]: int(ago[1])})
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        problem = f"{option} is no time: {text!r}"
        hint = "for example 2026-04-28, 2026-04-28T10:00 or 7d"
        raise ConfigError(problem, hint=hint) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def warn_of(malformed: MalformedCount) -> None:
    """Say on stderr what of the traces could not be read."""
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.reporting.text import one_line, plural

    for problem in malformed.problems:
        say(f"warning: {one_line(problem)}")
    more = malformed.count - len(malformed.problems)
    if more:
        say(f"warning: and {plural(more, 'more problem')}")
