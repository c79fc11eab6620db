"""Plug-ins of a newcomer through the command: what a report says about a mistake, and whose output stdout is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli, ResultOf

CHECKS = """
from judgemesh.contracts.verdicts import Fail, Pass

print("imported")

def prints(case):
    print("at work")
    return True

def subscripts(case):
    return case.result.output["answer"]

def mixes(case):
    return [Pass(), "no"]

def invents(case):
    return Fail(codes=("WRONG_FACTS",))
"""
NAMES = ("prints", "subscripts", "mixes", "invents")


@pytest.fixture
def plugged(cli: Cli, tmp_path: Path, make: ResultOf) -> Cli:
    """The command with a plug-in of four validators, and one result."""
    info = tmp_path / "site" / "newcomer-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: newcomer\nVersion: 1.0\n"
    )
    points = [f"{name} = newcomer_checks:{name}" for name in NAMES]
    (info / "entry_points.txt").write_text(
        "\n".join(["[judgemesh.validators]", *points, ""])
    )
    (tmp_path / "site" / "newcomer_checks.py").write_text(CHECKS)
    cli.write("results.jsonl", make("r"))
    return cli


def grade(cli: Cli, validator: str, *options: str) -> tuple[int, str]:
    cli.write("contract.yaml", f"task_id: trip\nvalidators: [{validator}]")
    done = cli.process(
        *("grade", "results.jsonl", "-c", "contract.yaml", "--no-resume", *options),
        PYTHONPATH=f"{cli.folder / 'site'}:{cli.env.get('PYTHONPATH', '')}",
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_a_plug_in_prints_is_no_part_of_the_output(
    plugged: Cli, workers: str
) -> None:
    code, output = grade(plugged, "prints", "--json", "--workers", workers)
    assert (code, json.loads(output)["passed"]) == (0, 1)


@pytest.mark.parametrize(
    ("validator", "words"),
    [
        ("subscripts", "is not subscriptable (newcomer_checks.py line 11)"),
        ("mixes", "returned list with str in it; expected a verdict"),
        ("invents", "'WRONG_FACTS' is no failure code"),
    ],
)
def test_a_mistake_is_an_evaluator_error_that_says_where(
    plugged: Cli, validator: str, words: str
) -> None:
    code, output = grade(plugged, validator, "--plain")
    assert (code, "EVALUATOR_FAILURE" in output) == (3, True)
    assert words in output
