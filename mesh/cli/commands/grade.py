"""`judgemesh grade`: grade files of agent results into the ledger."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.commands.grade_options import (
    ClusterOption,
    DryRunOption,
    FailOnErrorOption,
    FailUnderOption,
    FiltersOption,
    LimitOption,
    MaxLineBytesOption,
    NoProgressOption,
    PreflightOption,
    RejectsOption,
    ResultsArgument,
    ResumeOption,
    RetryErrorsOption,
    WorkersOption,
)
from judgemesh.mesh.cli.consumption import refuse_without
from judgemesh.mesh.cli.options import (
    AllOption,
    CodeOption,
    FailedOption,
    JsonOption,
    OutputOption,
    PlainOption,
    QuietOption,
    VerboseOption,
    parse_fail_under,
)
from judgemesh.mesh.cli.running import run_async
from judgemesh.mesh.cli.settings import ConfigOption, effective_config, setting_flags
from judgemesh.mesh.cli.shown import Shown, show_run
from judgemesh.mesh.inputs.settings import Setting

if TYPE_CHECKING:
    from judgemesh.mesh.cli.exit_rule import ExitDecision
    from judgemesh.mesh.cli.listing import Selection
    from judgemesh.mesh.config import MeshConfig
    from judgemesh.mesh.runs.batch import BatchResult
    from judgemesh.mesh.runs.selection import BatchOptions

_DEFAULT_LINE_BYTES = 8 * 2**20
_CALLS: Final[tuple[str, ...]] = (
    *("judge_api_base", "votes", "batch_criteria", "batch_audit", "max_retries"),
    *("judge_concurrency", "backend", "requests_per_minute", "tokens_per_minute"),
)
_ASK_A_JUDGE: Final[Mapping[str, str]] = dict.fromkeys(_CALLS, "--judge MODEL")
"""Settings of the calls of a judge."""
_OF_BATCHES: Final = {"batch_audit": "--batch-criteria N"}
_OF_RESUMING: Final = {"retry_errors": "--no-resume grades every result again"}


@setting_flags
def grade(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    *,
    results: ResultsArgument,
    config_file: ConfigOption = None,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
    limit: LimitOption = None,
    filters: FiltersOption = None,
    resume: ResumeOption = True,
    retry_errors: RetryErrorsOption = None,
    preflight: PreflightOption = True,
    fail_under: FailUnderOption = None,
    fail_on_error: FailOnErrorOption = 0,
    rejects: RejectsOption = None,
    max_line_bytes: MaxLineBytesOption = _DEFAULT_LINE_BYTES,
    workers: WorkersOption = 1,
    cluster: ClusterOption = None,
    every: AllOption = False,
    failed: FailedOption = False,
    code: CodeOption = None,
    plain: PlainOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = 0,
    no_progress: NoProgressOption = False,
    settings: Mapping[str, Setting],
) -> None:
    """Grade agent results against their contracts.

    The contract of a result is found by its task_id. Each report is written to the
    ledger at once, so the same command continues a run that was interrupted.

    \b
    Examples:
      judgemesh grade results.jsonl --contracts contracts/
      judgemesh grade results.jsonl -c contracts.yaml -o reports.jsonl -o junit.xml
      judgemesh grade results.jsonl --config mesh.toml --max-cost 2.50
      judgemesh grade results.jsonl -c contracts.yaml --judge openai/gpt-4.1-mini --fail-under 90%
      judgemesh grade results.jsonl -c contracts.yaml --judge openai/gpt-4.1-mini --batch-criteria 8
      judgemesh grade results.jsonl -c contracts.yaml --judge MODEL --judge MODEL_OF_ANOTHER_FAMILY --judge A_THIRD
      judgemesh grade results.jsonl -c contracts.yaml --judge SMALL --escalate STRONG --escalate-audit 0.2
      judgemesh grade results.jsonl -c contracts.yaml --failed
      judgemesh grade results.jsonl -c contracts.yaml --workers 4
      judgemesh grade results.jsonl -c contracts.yaml --cluster tcp://scheduler:8786 --ledger postgresql://HOST/DB
      cat results.jsonl | judgemesh grade - -c contracts.yaml --json

    \b
    Exit codes:
      0    all gates passed, or the success rate is not below --fail-under
      1    a gate failed or is undecided; with --fail-under: the success rate is below it
      2    wrong usage, a faulty contract, a source or a judge that cannot be used, or nothing to grade
      3    more evaluator errors than --fail-on-error tolerates
      4    --max-cost is spent; the same command with a larger amount continues
      130  interrupted
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.listing import selection_of
    from judgemesh.mesh.cli.output import say, set_up_logging
    from judgemesh.mesh.cli.progress import shows_bar
    from judgemesh.mesh.runs.selection import BatchOptions

    success_rate = parse_fail_under(fail_under)
    config = effective_config(config_file, settings).config
    options = BatchOptions(
        results=result_paths(results),
        limit=limit,
        filters=tuple(filters or ()),
        resume=resume,
        retry_errors=retry_errors,
        preflight=preflight,
        rejects=rejects,
        max_line_bytes=max_line_bytes,
        workers=workers,
        cluster=cluster,
    )
    outputs = tuple(output or ())
    selection = selection_of(every=every, failed=failed, code=code)
    shown = Shown(as_json=as_json, plain=plain, quiet=quiet)
    set_up_logging(verbose=verbose, quiet=quiet)
    _check_options(ctx, config, options)
    if dry_run:
        _show_estimate(config, options, as_json=as_json)
        return
    _check_outputs(outputs, config, options)
    bar = shows_bar(no_progress=no_progress, quiet=quiet)
    # What a plug-in prints is no part of the output.
    with redirect_stdout(sys.stderr):
        result = run_async(_graded(config, options, bar=bar))
    decision = _decision(result, options, success_rate, fail_on_error)
    run_async(_show(result, decision, outputs, selection, shown))
    if decision.code or not quiet:
        say(str(decision))
    raise typer.Exit(decision.code)


# --- options ---


def _check_options(
    ctx: typer.Context, config: MeshConfig, options: BatchOptions
) -> None:
    """Refuse options that would do nothing or contradict each other, and a run without contracts.

    Raises:
        ConfigError: the line names the option, and what it needs.
    """
    if not config.judges:
        refuse_without(ctx, _ASK_A_JUDGE, needed="a judge")
    if config.batch_criteria == 1:
        refuse_without(ctx, _OF_BATCHES, needed="criteria asked together")
    if not options.resume:
        refuse_without(ctx, _OF_RESUMING, needed="--resume")
    if options.cluster is not None and options.workers > 1:
        raise ConfigError(
            "cannot be given together with --workers; choose one", where="--cluster"
        )
    if config.contracts is None:
        raise ConfigError("no contracts are given", hint="--contracts PATH")


def result_paths(names: Sequence[str]) -> tuple[Path | None, ...]:
    """The files of results; None is standard input, named `-`.

    Raises:
        ConfigError: a file does not exist, is a folder, or is named twice.
    """
    paths: list[Path | None] = []
    seen: set[Path | None] = set()
    for name in names:
        path = None if name == "-" else Path(name)
        if path is not None:
            _check_file(path)
        resolved = path and path.resolve()
        if resolved in seen:
            raise ConfigError("is named twice", where=name)
        seen.add(resolved)
        paths.append(path)
    return tuple(paths)


def _check_file(path: Path) -> None:
    if not path.exists():
        raise ConfigError(
            "no such file",
            where=str(path),
            hint="expected a JSONL file of agent results, or - for standard input",
        )
    if path.is_dir():
        raise ConfigError(
            "is a folder", where=str(path), hint="name the JSONL files in it"
        )


def _check_outputs(
    outputs: Sequence[Path], config: MeshConfig, options: BatchOptions
) -> None:
    from judgemesh.mesh.inputs.replaceable import check_replaceable
    from judgemesh.mesh.ledger.engines import parse_address
    from judgemesh.mesh.reporting.files.write import check_outputs

    ledger = parse_address(str(config.ledger))
    if outputs and ledger.is_memory:
        raise ConfigError(
            "a ledger in memory is gone before output files are written from it",
            where="--ledger",
            hint="name a file",
        )
    used = [path for path in (*options.results, ledger.path) if path is not None]
    rejects = options.rejects
    if rejects is not None and rejects.resolve() in {path.resolve() for path in used}:
        raise ConfigError(
            "would replace a file that is also read or written",
            where=str(rejects),
            hint="choose another name",
        )
    check_outputs(outputs, inputs=used if rejects is None else [*used, rejects])
    if rejects is not None:
        check_replaceable(rejects, ".rejects")


# --- grading ---


async def _graded(
    config: MeshConfig, options: BatchOptions, *, bar: bool
) -> BatchResult:
    from judgemesh.mesh.cli.progress import ProgressDisplay
    from judgemesh.mesh.runs.batch import run_batch

    display = ProgressDisplay(bar)
    waiting = asyncio.create_task(display.start_in_time())
    try:
        return await run_batch(config, options, display)
    finally:
        waiting.cancel()
        display.close()


def _decision(
    result: BatchResult,
    options: BatchOptions,
    fail_under: Fraction | None,
    fail_on_error: int,
) -> ExitDecision:
    from judgemesh.mesh.cli.exit_rule import RunFacts, decide

    summary = result.summary
    return decide(
        RunFacts(
            passed=summary.passed,
            failed=summary.failed,
            undecided=summary.undecided,
            rejected=result.rejected,
            error_results=summary.error_results,
            interrupted=result.interrupted,
            nothing_selected=result.nothing_selected,
            access_denied=result.access_denied,
            budget_spent=result.budget_spent,
            resumable=options.resume,
            fail_under=fail_under,
            fail_on_error=fail_on_error,
        )
    )


# --- output ---


async def _show(
    result: BatchResult,
    decision: ExitDecision,
    outputs: Sequence[Path],
    selection: Selection,
    shown: Shown,
) -> None:
    """Write the output files from the ledger, then print the summary."""
    from judgemesh.mesh.analysis.results.loading import result_pages_of
    from judgemesh.mesh.analysis.run_report import states_of
    from judgemesh.mesh.cli.listing import Listed, listed
    from judgemesh.mesh.cli.options import report_command
    from judgemesh.mesh.cli.writing import write_outputs
    from judgemesh.mesh.ledger.engines import parse_address
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.reporting.files.write import Graded
    from judgemesh.mesh.reporting.results.runs import partial_warnings
    from judgemesh.mesh.reporting.results.summary import (
        RunDetails,
        summary_json,
        summary_view,
    )

    ledger_name = parse_address(result.ledger).name
    rejects = result.rejects_path
    extras = RunDetails(
        run_id=result.run_id,
        ledger=ledger_name,
        exit_rule=str(decision),
        resumed=result.resumed,
        rejected=result.rejected,
        rejects_file=None if rejects is None else str(rejects),
        outputs=tuple(str(path) for path in outputs),
        warnings=result.warnings,
        halos=result.halos,
        panel=result.panel,
        escalation=result.escalation,
        elapsed_s=result.elapsed_s,
        next_command=report_command(ledger_name),
    )
    data = summary_json(result.summary, extras)
    rows = Listed()
    if not parse_address(result.ledger).is_memory:
        async with await Ledger.open(result.ledger, read_only=True) as ledger:
            state = (await states_of(ledger, [result.run_id]))[result.run_id]
            data["warnings"] = [*partial_warnings(state), *extras.all_warnings]
            rows = await listed(ledger, result.run_id, selection, result.summary)
            run = Graded(
                run_id=result.run_id,
                summary=data,
                reports=lambda: ledger.reports(result.run_id),
                pages=lambda: result_pages_of(ledger, result.run_id),
            )
            await write_outputs(outputs, run, quiet=shown.quiet)
    show_run(summary_view(result.summary, extras), data, rows, shown)


def _show_estimate(config: MeshConfig, options: BatchOptions, *, as_json: bool) -> None:

    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.setup.estimate import estimate_view
    from judgemesh.mesh.runs.estimate import estimate

    cost = run_async(estimate(config, options))
    if as_json:
        show_json(cost.to_json())
    else:
        show(*estimate_view(cost))
