"""`judgemesh contract check | schema | new`: check contracts, and start a new one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from judgemesh.mesh.cli.groups import group
from judgemesh.mesh.cli.options import JsonOption, QuietOption

contract: Final = group(
    no_args_is_help=True,
    help="Check contracts, print their JSON Schema, start a new one.",
)


_PathsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="PATH", help="Contract files, or folders of them."),
]
_ResultsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--results",
        metavar="FILE",
        help="Try the tools, fields, paths and kinds that the contracts name on these results. Repeatable.",
    ),
]
_ValidatorsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--validator",
        metavar="NAME",
        help="A validator that the run will add. Repeatable.",
    ),
]


@contract.command("check")
def check(
    paths: _PathsArgument,
    *,
    results: _ResultsOption = None,
    validators: _ValidatorsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Check contracts: what each names and who looks for it, every error with its place, then warnings.

    An error is a contradiction, a misspelt name, or a thing nobody looks for. The exit
    code is 2 if there is one, and 0 otherwise; warnings do not count.

    \b
    Examples:
      judgemesh contract check contracts/
      judgemesh contract check contract.yaml --json
      judgemesh contract check contract.yaml --results results.jsonl
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.contract_findings import check_paths
    from judgemesh.mesh.cli.errors import EXIT_USAGE
    from judgemesh.mesh.cli.output import put, say, show, show_json
    from judgemesh.mesh.reporting.setup.coverage import (
        coverage_json,
        coverage_view,
        trials_json,
        trials_lines,
    )
    from judgemesh.mesh.reporting.text import one_line, plural

    findings = check_paths(paths, also=validators or (), results=results or ())
    problems = [one_line(problem) for problem in findings.problems]
    warnings = [one_line(warning) for warning in findings.warnings]
    count = len(findings.contracts)
    if as_json:
        show_json(
            {
                "ok": not problems,
                "contracts": count,
                "problems": problems,
                "warnings": warnings,
                "tables": coverage_json(findings.contracts),
                "results": trials_json(findings.trials),
            }
        )
    else:
        if not quiet:
            show(*coverage_view(findings.contracts))
        for problem in problems:
            say(f"error: {problem}")
        for warning in warnings:
            say(f"warning: {warning}")
        for line in trials_lines(findings.trials):
            put(line + "\n")
        counts = f"{plural(len(problems), 'fault')}, {plural(len(warnings), 'warning')}"
        if not problems:
            counts = f"{plural(count, 'contract')} can be used; {counts}"
        put(counts + "\n")
    if problems:
        raise typer.Exit(EXIT_USAGE)


@contract.command("schema")
def schema() -> None:
    """Print the JSON Schema of a contract, for editors and other tools.

    \b
    Example:
      judgemesh contract schema > contract.schema.json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import show_json
    from judgemesh.mesh.inputs.contract_schema import contract_schema

    show_json(contract_schema())


@contract.command("new")
def new(
    *,
    family: Annotated[
        str,
        typer.Option("--family", metavar="NAME", help="Template to start from."),
    ] = "general",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file instead of stdout.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace FILE if it exists.")
    ] = False,
) -> None:
    """Write a commented contract to start from.

    \b
    Examples:
      judgemesh contract new -o contract.yaml
      judgemesh contract new --family research   (or triage, code_review, extraction, drafting, scheduling)
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import put, say
    from judgemesh.mesh.inputs.contract_templates import template, write_new

    text = template(family)
    if output is None:
        put(text)
        return
    write_new(output, text, force=force)
    say(f"wrote {output}; check it with: judgemesh contract check {output}")
