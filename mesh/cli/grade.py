"""`judgemesh grade`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    JsonOption,
    LedgerOption,
    OutputOption,
    QuietOption,
    VerboseOption,
)


def grade(  # noqa: PLR0913 (one parameter an option)
    *,
    results: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULTS",
            help="Agent results, one JSON object a line (.gz too; - is standard input).",
        ),
    ],
    contracts: Annotated[
        list[Path],
        typer.Option(
            "--contracts",
            "-c",
            metavar="PATH",
            help="A contract file, or a folder of them. Repeatable.",
        ),
    ],
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            metavar="MODEL",
            help="Model that answers yes/no questions (openai/gpt-4.1-mini, openai-compatible:MODEL), or replay:FILE. "
            "Repeat it for a panel.",
        ),
    ] = None,
    panel: Annotated[
        str,
        typer.Option(
            "--panel",
            metavar="WAY",
            help="How a panel is added up: auto (what labels speak for), majority, log_odds or stacking.",
        ),
    ] = "auto",
    judge_api_base: Annotated[
        str | None,
        typer.Option(
            "--judge-api-base",
            metavar="URL",
            help="Address of the judge's API, for a server of your own.",
        ),
    ] = None,
    escalate: Annotated[
        str | None,
        typer.Option(
            "--escalate",
            metavar="MODEL",
            help="Stronger judge, of another family, for what the first leaves open.",
        ),
    ] = None,
    escalate_audit: Annotated[
        float,
        typer.Option(
            "--escalate-audit",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Ask both judges a seeded share of all questions, so that labels can certify the pair.",
        ),
    ] = 0.0,
    votes: Annotated[
        str | None,
        typer.Option(
            "--votes",
            metavar="HOW",
            help="lead: ask until a side leads (the default); single: ask once, cheaper and blinder.",
        ),
    ] = None,
    batch_criteria: Annotated[
        int,
        typer.Option(
            "--batch-criteria",
            metavar="N",
            help="Ask up to N (2 to 8) plain criteria of a result in one call: cheaper, and they may sway each other; "
            "the summary says whether they did. Gates are asked alone.",
        ),
    ] = 1,
    batch_audit: Annotated[
        float,
        typer.Option(
            "--batch-audit",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Share of such calls whose criteria are asked alone as well, to see that.",
        ),
    ] = 0.05,
    prices: Annotated[
        Path | None,
        typer.Option(
            "--prices",
            metavar="FILE",
            help="Prices of models; without one for the judge its cost is unknown.",
        ),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    output: OutputOption = None,
    max_concurrency: Annotated[
        int,
        typer.Option(
            "--max-concurrency",
            "-j",
            metavar="N",
            min=1,
            help="Results in work at once.",
        ),
    ] = 64,
    judge_concurrency: Annotated[
        int,
        typer.Option(
            "--judge-concurrency",
            metavar="N",
            min=1,
            help="Judge calls in flight at once.",
        ),
    ] = 16,
    max_retries: Annotated[
        int,
        typer.Option(
            "--max-retries",
            metavar="N",
            min=0,
            help="How often a judge call that failed is tried again.",
        ),
    ] = 2,
    judge_backend: Annotated[
        str,
        typer.Option(
            "--judge-backend",
            metavar="WAY",
            help="votes, or probability: the provider's own P(yes) first, where it has one, for what is no gate.",
        ),
    ] = "votes",
    rpm: Annotated[
        float | None,
        typer.Option(
            "--rpm", metavar="N", min=0.001, help="Judge calls a minute, at most."
        ),
    ] = None,
    tpm: Annotated[
        float | None,
        typer.Option(
            "--tpm",
            metavar="N",
            min=1,
            help="Input tokens a minute for the judge, at most (estimated).",
        ),
    ] = None,
    max_cost: Annotated[
        str | None,
        typer.Option(
            "--max-cost",
            metavar="AMOUNT",
            help="What the judge may cost this run in all; exit 4 when it is spent.",
        ),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="full, or economy: no judge once a gate has failed without one, but for a sample of 5 %.",
        ),
    ] = "full",
    seed: Annotated[
        int,
        typer.Option(
            "--seed", metavar="N", help="Seed of whatever is drawn at random."
        ),
    ] = 0,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Make no call; print what grading would cost, from the questions really asked.",
        ),
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="N", min=1, help="Grade only the first N results."
        ),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="EXPR",
            help="Only results whose result_id or task_id fits a pattern (*), or key=value. Repeatable.",
        ),
    ] = None,
    validator: Annotated[
        list[str] | None,
        typer.Option(
            "--validator",
            metavar="NAME",
            help="Run this validator too, for every contract. Repeatable.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume/--no-resume",
            help="Grade only what the ledger does not hold yet, or everything again.",
        ),
    ] = True,
    retry_errors: Annotated[
        bool,
        typer.Option(
            "--retry-errors",
            help="Grade again results whose grading met an evaluator error.",
        ),
    ] = False,
    cache: Annotated[
        bool,
        typer.Option("--cache/--no-cache", help="Take judge answers from the cache."),
    ] = True,
    offline: Annotated[
        bool,
        typer.Option(
            "--offline",
            help="Answer look-ups of evidence from the ledger alone: replays a report.",
        ),
    ] = False,
    fail_under: Annotated[
        str | None,
        typer.Option(
            "--fail-under",
            metavar="RATE",
            help="Exit 1 only when the task success rate is below RATE (0.9 or 90%).",
        ),
    ] = None,
    fail_on_error: Annotated[
        int,
        typer.Option(
            "--fail-on-error",
            metavar="N",
            min=0,
            help="Exit 3 for more than N rejected lines and evaluator errors.",
        ),
    ] = 0,
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            metavar="S",
            min=0.001,
            help="Deadline of every validator, in seconds.",
        ),
    ] = None,
    rejects: Annotated[
        Path | None,
        typer.Option(
            "--rejects",
            metavar="FILE",
            help="Keep input lines that could not be read in this file.",
        ),
    ] = None,
    max_line_bytes: Annotated[
        int,
        typer.Option(
            "--max-line-bytes",
            metavar="N",
            min=1024,
            help="Longest input line that is read.",
        ),
    ] = 8 * 2**20,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = 0,
    no_progress: Annotated[
        bool, typer.Option("--no-progress", help="No progress bar.")
    ] = False,
) -> None:
    """Grade agent results against their contracts.

    Every result finds its contract by task_id. Reports go to the ledger as they come, so that an interrupted run can be
    continued by the same command.

    \b
    Examples:
      judgemesh grade results.jsonl --contracts contracts/
      judgemesh grade results.jsonl -c contracts.yaml -o reports.jsonl -o junit.xml
      judgemesh grade results.jsonl -c contracts.yaml --judge openai/gpt-4.1-mini --fail-under 90%
      judgemesh grade results.jsonl -c contracts.yaml --judge openai/gpt-4.1-mini --batch-criteria 8
      judgemesh grade results.jsonl -c contracts.yaml --judge MODEL --judge MODEL_OF_ANOTHER_FAMILY --judge A_THIRD
      judgemesh grade results.jsonl -c contracts.yaml --judge SMALL --escalate STRONG --escalate-audit 0.2
      cat results.jsonl | judgemesh grade - -c contracts.yaml --json

    \b
    Exit codes:
      0    all gates passed, or the success rate is not below --fail-under
      1    a gate failed or is undecided; with --fail-under: the success rate is below it
      2    wrong usage, a faulty contract, or nothing to grade
      3    more evaluator errors than --fail-on-error tolerates
      4    --max-cost is spent; the same command with a larger one goes on
      130  interrupted
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.grading import (
        Wishes,
        backend_of,
        estimate_and_show,
        grade_and_show,
        mode_of,
        panel_of,
        rate,
        result_paths,
    )
    from judgemesh.mesh.runs.batch import BatchOptions

    wishes = Wishes(
        outputs=tuple(output or ()),
        fail_under=None if fail_under is None else rate(fail_under),
        fail_on_error=fail_on_error,
        as_json=as_json,
        quiet=quiet,
        verbose=verbose,
        no_progress=no_progress,
    )
    options = BatchOptions(
        results=result_paths(results),
        contracts=tuple(contracts),
        ledger=ledger,
        judge=tuple(judge or ()),
        panel=panel_of(panel),
        judge_api_base=judge_api_base,
        escalate=escalate,
        escalate_audit=escalate_audit,
        votes=votes,
        batch_criteria=batch_criteria,
        batch_audit=batch_audit,
        prices=prices,
        max_concurrency=max_concurrency,
        judge_concurrency=judge_concurrency,
        limit=limit,
        filters=tuple(filters or ()),
        resume=resume,
        retry_errors=retry_errors,
        cache=cache,
        offline=offline,
        timeout_s=timeout,
        validators=tuple(validator or ()),
        rejects=rejects,
        max_line_bytes=max_line_bytes,
        max_retries=max_retries,
        requests_per_minute=rpm,
        tokens_per_minute=tpm,
        max_cost=max_cost,
        backend=backend_of(judge_backend),
        mode=mode_of(mode),
        seed=seed,
    )
    if dry_run:
        raise typer.Exit(estimate_and_show(options, wishes))
    raise typer.Exit(grade_and_show(options, wishes))
