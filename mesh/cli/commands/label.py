"""`judgemesh label walk | export | import`: people label results and judged questions."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Final, TextIO

import typer

from judgemesh.mesh.cli.commands.label_options import (
    AgainOption,
    AlsoToLedgerOption,
    AsJsonOption,
    AuditedOption,
    BlindOption,
    ContractsOption,
    ExportLimitOption,
    ExportSeedOption,
    ExportShuffleOption,
    FileArgument,
    LimitOption,
    OutOption,
    ReferenceOption,
    ResultsArgument,
    ResultsOption,
    SeedOption,
    ShuffleOption,
    SplitOption,
    WithVerdictOption,
)
from judgemesh.mesh.cli.consumption import refuse_without
from judgemesh.mesh.cli.groups import WithDefault, group
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    JsonOption,
    LabelerOption,
    LedgerOption,
    RunOption,
)
from judgemesh.mesh.cli.running import run_async

_OF_SHUFFLE: Final = {"seed": "the seed orders a random sample"}


class _WalkByDefault(WithDefault):
    """`label RESULTS` means `label walk RESULTS`."""

    default = "walk"


label: Final = group(
    name="label",
    cls=_WalkByDefault,
    no_args_is_help=True,
    subcommand_metavar="RESULTS | COMMAND [ARGS]...",
)


@label.callback()
def about() -> None:
    """Collect people's labels of results and of judged questions.

    \b
    Label results, one key a step (the same as `judgemesh label walk`):
      judgemesh label results.jsonl --contracts contracts.yaml

    \b
    Answer single questions of judges in a spreadsheet:
      judgemesh label export queue.csv
      judgemesh label import queue.csv
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)


@label.command("walk")
def walk(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    *,
    results: ResultsArgument,
    contracts: ContractsOption = None,
    out: OutOption = None,
    labeler: LabelerOption = None,
    reference: ReferenceOption = None,
    blind: BlindOption = False,
    split: SplitOption = None,
    shuffle: ShuffleOption = False,
    seed: SeedOption = 0,
    limit: LimitOption = None,
    again: AgainOption = False,
    ledger: AlsoToLedgerOption = None,
    as_json: AsJsonOption = False,
) -> None:
    """Give each result one of the five outcome classes, by yes/no questions, one key a step.

    Each label is written to the disk before the next result is shown. The same command
    continues where it stopped. Keys: y and n answer; ? shows the rubric; a, t and p show
    the whole answer, trace and task; u undoes, s skips, o adds a note, q quits. Keys can
    also be piped in.

    \b
    Examples:
      judgemesh label results.jsonl --contracts contracts.yaml
      judgemesh label results.jsonl -c contracts.yaml --shuffle --seed 7 --limit 50 --labeler ann
      judgemesh label results.jsonl --reference labels.jsonl --split calibration
      judgemesh label import labels-ann.jsonl
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.errors import EXIT_INTERRUPTED, EXIT_OK
    from judgemesh.mesh.cli.output import say, show, show_json
    from judgemesh.mesh.cli.progress import ProblemLines
    from judgemesh.mesh.labelling.choose import ResultChoice
    from judgemesh.mesh.labelling.summary import summary_json, summary_view
    from judgemesh.mesh.labelling.walk import INTERRUPTED, WalkQuery
    from judgemesh.mesh.labelling.walk import walk as label_results

    refuse_without(ctx, {} if shuffle else _OF_SHUFFLE, needed="--shuffle")
    query = WalkQuery(
        results=tuple(results),
        contracts=tuple(contracts or ()),
        out=out,
        labeler=labeler,
        reference=reference,
        blind=blind,
        choice=ResultChoice(split=split, shuffle=shuffle, seed=seed, limit=limit),
        again=again,
        ledger=ledger,
    )
    summary = label_results(
        query,
        _screens(as_json=as_json),
        rejected=ProblemLines("rejected", "rejected line", max_length=500),
        warn=lambda line: say(f"warning: {line}"),
    )
    if as_json:
        show_json(summary_json(summary))
    else:
        show(*summary_view(summary))
    raise typer.Exit(EXIT_INTERRUPTED if summary.ended == INTERRUPTED else EXIT_OK)


def _screens(*, as_json: bool) -> TextIO:
    """Screens go to stdout, or to stderr if stdout is for the JSON object."""
    if as_json:
        return sys.stderr
    stdout: TextIO = sys.stdout
    if isinstance(stdout, io.TextIOWrapper):
        # A stream of its own: the session ends where nobody reads its screens.
        encoding = stdout.encoding
        return open(
            stdout.fileno(), "w", encoding=encoding, errors="replace", closefd=False
        )
    return sys.stdout


@label.command("export")
def export(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    file: FileArgument,
    *,
    run: RunOption = None,
    limit: ExportLimitOption = None,
    shuffle: ExportShuffleOption = False,
    audited: AuditedOption = False,
    seed: ExportSeedOption = 0,
    with_verdict: WithVerdictOption = False,
    results: ResultsOption = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Write judged questions without a label to a file: gates first, then by weight times uncertainty.

    Fill in `label` (yes or no, the answer to the question) and `labeler`; leave a label empty if you cannot tell.

    \b
    Examples:
      judgemesh label export queue.csv --limit 50
      judgemesh label export queue.csv --results results.jsonl
      judgemesh label export sample.jsonl --random --limit 100
      judgemesh label import queue.csv
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.labels.files import check_suffix, write_lines
    from judgemesh.mesh.analysis.labels.label_queue import QueueQuery, label_queue
    from judgemesh.mesh.cli.output import put, show_json

    check_suffix(file)
    drawn = shuffle or audited
    refuse_without(ctx, {} if drawn else _OF_SHUFFLE, needed="--random or --audited")
    query = QueueQuery(
        ledger=ledger,
        run=run,
        limit=limit,
        shuffle=drawn,
        audited=audited,
        seed=seed,
        with_verdict=with_verdict,
        results=tuple(results or ()),
    )
    queue = run_async(label_queue(query))
    write_lines(file, queue.lines, with_verdict=with_verdict)
    count = len(queue.lines)
    if as_json:
        counts = {"questions": count, "labelled": queue.labelled}
        show_json({"run_id": queue.run_id, "file": str(file), **counts})
    else:
        written = f"{count} questions of {queue.run_id} written to {file}"
        put(f"{written}; {queue.labelled} already have a label\n")


@label.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Labels, .jsonl or .csv."),
    ],
    *,
    labeler: Annotated[
        str | None,
        typer.Option(
            "--labeler",
            metavar="NAME",
            help="Name of the labeler, for lines without one.",
        ),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Import labels: all lines of the file, or none if one of them is wrong.

    \b
    A line needs result_id and one of
      label          yes or no, with question_id: the answer to that question
      score          1 to 5, for the result as a whole
      outcome_class  complete, partial+, partial-, hallucinated or abandoned
    Lines without any of them are counted as left open.

    \b
    Examples:
      judgemesh label import queue.csv
      judgemesh label import ann.jsonl --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.labels.importer import import_labels
    from judgemesh.mesh.cli.output import put, show_json

    imported = run_async(import_labels(ledger, file, labeler=labeler))
    if as_json:
        counts = {"labels": imported.labels, "left_open": imported.left_open}
        show_json({"file": str(file), **counts})
    else:
        labels = f"{imported.labels} labels imported from {file}"
        put(f"{labels}; {imported.left_open} lines left open\n")
