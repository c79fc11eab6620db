"""`judgemesh label`: questions for people, the most useful first, and their answers back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption

label: Final = typer.Typer(
    name="label",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Put judged questions before people, and take their answers in.",
)


@label.command("export")
def export(  # noqa: PLR0913 (one parameter an option)
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to: .jsonl or .csv, by its suffix.")],
    *,
    run: Annotated[str | None, typer.Option("--run", metavar="RUN", help="Which run; without it the latest.")] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only the N most useful questions.")
    ] = None,
    shuffle: Annotated[
        bool,
        typer.Option("--random", help="A random sample instead of a ranking: what rates and calibration need."),
    ] = False,
    audited: Annotated[
        bool,
        typer.Option(
            "--audited",
            help="Only what `grade --escalate-audit` has drawn to be asked of both judges, in random order.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the random sample.")] = 0,
    with_verdict: Annotated[
        bool, typer.Option("--with-verdict", help="Show the judge's verdict and reason too; they sway people.")
    ] = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Write judged questions that nobody has labelled yet, gates first, then by weight times uncertainty.

    Fill in `label` (yes or no, the answer to the question) and `labeler`; leave a label empty where you cannot tell.

    \b
    Examples:
      judgemesh label export queue.csv --limit 50
      judgemesh label export sample.jsonl --random --limit 100
      judgemesh label import queue.csv
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.labelling import Wanted, export_queue

    wanted = Wanted(
        ledger=ledger,
        file=file,
        run=run,
        limit=limit,
        shuffle=shuffle or audited,
        audited=audited,
        seed=seed,
        with_verdict=with_verdict,
    )
    export_queue(wanted, as_json=as_json)


@label.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Labels: .jsonl or .csv, by its suffix.")],
    *,
    labeler: Annotated[
        str | None, typer.Option("--labeler", metavar="NAME", help="Who labelled, where a line does not say.")
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Take labels in: all lines of the file, or none if one of them is wrong.

    \b
    A line needs result_id and one of
      label          yes or no, with question_id: the answer to that question
      score          1 to 5, for the result as a whole
      outcome_class  complete, partial+, partial-, hallucinated or abandoned
    Lines without any of them are counted as left open.
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.labelling import import_labels

    import_labels(ledger, file, labeler=labeler, as_json=as_json)
