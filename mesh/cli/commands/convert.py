"""`judgemesh convert`: transcripts of agent frameworks into agent results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgemesh.mesh.cli.options import (
    JsonOption,
    NoProgressOption,
    QuietOption,
)

if TYPE_CHECKING:
    from judgemesh.mesh.tracing.conversations.reading import ConversionCounts


_FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Transcripts (.gz too), folders of them, or - for standard input.",
    ),
]
_TaskOption = Annotated[
    str, typer.Option("--task", metavar="TASK", help="The task_id of each result.")
]
_OutputOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where the results are written, one a line; - is standard output.",
    ),
]
_FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of the files; auto recognises each by its content. See docs/how-to/transcripts.md.",
    ),
]
_ResultIdOption = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="ID",
        help="Id of the result; several are numbered. Default: the conversation's own id, or the file's name.",
    ),
]
_ActionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--action",
        metavar="TOOL",
        help="A tool whose calls are actions: what the agent states as executed. Repeatable.",
    ),
]
_AnswerOption = Annotated[
    str,
    typer.Option(
        "--answer",
        metavar="WHERE",
        help="The answer: last (the agent's last text), all (its texts since the user's last one), or TOOL or"
        " TOOL.ARGUMENT (what the last call of that tool was given).",
    ),
]


def convert(  # noqa: PLR0913 (one parameter an option)
    files: _FilesArgument,
    *,
    task: _TaskOption,
    output: _OutputOption = Path("-"),
    format: _FormatOption = "auto",  # noqa: A002 (the option's name)
    result_id: _ResultIdOption = None,
    action: _ActionOption = None,
    answer: _AnswerOption = "last",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    no_progress: NoProgressOption = False,
) -> None:
    """Turn transcripts of agent frameworks into agent results, ready to be graded.

    Messages, items, sessions, run objects, exchanges with an API, spans and reports of test harnesses are
    recognised by their content. Each call becomes a step of the trace, with its arguments as the agent wrote
    them; the agent's last text becomes the answer. A conversation whose calls cannot all be read is converted
    too, and every check of its trace abstains.

    \b
    Examples:
      judgemesh convert chat.json --task refund -o results.jsonl
      judgemesh convert logs/ --task refund --action create_refund -o results.jsonl
      judgemesh convert session.jsonl --task refund | judgemesh grade - --contracts contract.yaml

    \b
    Exit codes:
      0  all files were converted
      2  wrong usage, or a file that cannot be read or holds no conversation; the others were converted
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.conversion import check_converted, convert_files
    from judgemesh.mesh.cli.output import say, show_json
    from judgemesh.mesh.cli.progress import CountLine, ProblemLines, shows_bar
    from judgemesh.mesh.reporting.setup.conversion import (
        conversion_json,
        conversion_line,
    )
    from judgemesh.mesh.tracing.conversations.lines import Conversion
    from judgemesh.mesh.tracing.conversations.reading import ConversionCounts

    counts = ConversionCounts()
    to_stdout = output == Path("-")
    if as_json and to_stdout:
        raise typer.BadParameter(
            "writes its summary to standard output; give --output a file",
            param_hint="--json",
        )
    with (
        ProblemLines("note", "note") as note,
        CountLine(shows_bar=shows_bar(no_progress=no_progress, quiet=quiet)) as line,
    ):
        convert_files(
            files,
            Conversion(task, action or (), answer),
            output=None if to_stdout else output,
            format_name=format,
            result_id=result_id,
            counts=counts,
            on_note=note,
            on_progress=lambda: line(_progress(counts)),
        )
    if as_json:
        show_json(conversion_json(counts))
    elif not quiet:
        say(conversion_line(counts))
    check_converted(counts)


def _progress(counts: ConversionCounts) -> str:
    return f"{counts.files:,} files, {counts.conversations:,} conversations converted"
