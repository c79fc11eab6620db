"""`judgemesh init`: from a foreign log to a first report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgemesh.mesh.cli.options import (
    JsonOption,
    JudgeApiBaseOption,
    QuietOption,
)
from judgemesh.mesh.cli.running import run_async

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report
    from judgemesh.mesh.analysis.drafting.start import Start
    from judgemesh.mesh.config import MeshConfig
    from judgemesh.mesh.runs.batch import BatchResult


_LogsArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="LOG...", help="Transcripts of agent runs, or folders of them."
    ),
]
_FolderOption = Annotated[
    Path,
    typer.Option(
        "--folder",
        metavar="DIR",
        help="Where results, contract and ledger are written; nothing there is replaced.",
    ),
]
_TaskOption = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="The task_id of the results. Default: from the name of the log.",
    ),
]
_FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of the logs; auto recognises each by its content.",
    ),
]
_AnswerOption = Annotated[
    str,
    typer.Option(
        "--answer",
        metavar="WHERE",
        help="The answer of a run, as of judgemesh convert: last, all, TOOL or TOOL.ARGUMENT.",
    ),
]
_JudgeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="Ask this model the drafted question about each run.",
    ),
]


def init(  # noqa: PLR0913 (one parameter an option)
    logs: _LogsArgument,
    *,
    folder: _FolderOption = Path("graded"),
    task: _TaskOption = None,
    format: _FormatOption = "auto",  # noqa: A002 (the option's name)
    answer: _AnswerOption = "last",
    judge: _JudgeOption = None,
    judge_api_base: JudgeApiBaseOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Turn logs of agent runs into a first report: convert, draft a contract, grade.

    The formats are those of judgemesh convert. The drafted contract holds what the runs
    show, with a comment on everything that you have to review; edit it, and grade again
    with the command that is printed at the end.

    \b
    Examples:
      judgemesh init chat.json
      judgemesh init logs/ --task refund --folder refund
      judgemesh init session.jsonl --judge openai/gpt-4.1-mini

    \b
    Exit codes:
      0  the runs were graded, whatever their gates
      2  no log can be read, a file exists already, or the judge cannot be used
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.drafting.start import start_from
    from judgemesh.mesh.cli.output import say, show, show_json
    from judgemesh.mesh.cli.settings import effective_config
    from judgemesh.mesh.inputs.settings import Setting
    from judgemesh.mesh.reporting.results.first_report import (
        first_report,
        first_report_json,
    )

    given = {"judge": judge, "judge_api_base": judge_api_base}
    flags = {
        name: Setting(value, f"--{name.replace('_', '-')}")
        for name, value in given.items()
        if value
    }
    config = effective_config(None, flags).config
    start = start_from(
        logs,
        folder=folder,
        task=task,
        format_name=format,
        answer=answer,
        judged=bool(config.judges),
        on_note=lambda note: say(f"note: {note}"),
    )
    result, reports = run_async(_graded(start, config))
    if as_json:
        show_json(first_report_json(start, result, reports))
    elif not quiet:
        show(*first_report(start, result, reports, judged=bool(config.judges)))


async def _graded(start: Start, config: MeshConfig) -> tuple[BatchResult, list[Report]]:
    """Grade the results; what happened, and the reports in the order of the results."""
    from judgemesh.mesh.analysis.drafting.start import first_grading
    from judgemesh.mesh.ledger.store import Ledger

    result = await first_grading(start, config, lambda _progress: None)
    async with await Ledger.open(result.ledger, read_only=True) as ledger:
        reports = [report async for report in ledger.reports(result.run_id)]
    return result, reports
