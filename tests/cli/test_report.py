"""`judgemesh report` on a ledger that `judgemesh grade` wrote."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from judgemesh.contracts.report import report_from_json

if TYPE_CHECKING:
    from .conftest import Cli, ResultOf


@pytest.fixture
def graded(cli: Cli, make: ResultOf) -> Cli:
    """A ledger with one run of three results and a later one of one."""
    cli.write(
        "results.jsonl",
        make("r1"),
        make("r2", good=False),
        make("r3", task_id="nobody's"),
    )
    cli.write("later.jsonl", make("r9"))
    assert cli("grade", "results.jsonl", "-c", "contracts.yaml").returncode == 3
    later = cli("grade", "later.jsonl", "-c", "contracts.yaml")
    assert later.returncode == 0, later.stdout
    return cli


def test_latest_run_and_named_run(graded: Cli) -> None:
    latest = json.loads(graded("report", "--json").stdout)
    assert (latest["attempted"], latest["exit_rule"]) == (1, None)
    runs = json.loads(graded("report", "--runs", "--json").stdout)["runs"]
    assert [(run["attempted"], run["passed"], run["status"]) for run in runs] == [
        (1, 1, "done"),
        (3, 1, "done"),
    ]
    first = json.loads(
        graded("report", "--run", runs[1]["run_id"][:9], "--json").stdout
    )
    assert (first["attempted"], first["undecided"]) == (3, 1)
    shown = graded("report", "--run", runs[1]["run_id"])
    assert "MISSING_REQUIRED_FIELD" in shown.stdout
    assert shown.stderr == ""
    table = graded("report", "--runs").stdout
    assert "1/1/1" in table
    assert (
        max(
            len(line)
            for line in graded("report", "--runs", COLUMNS="80").stdout.splitlines()
        )
        <= 80
    )


def test_one_result_in_full(graded: Cli) -> None:
    """Out of the newest run that has it, with everything that was said about it."""
    shown = graded("report", "r2").stdout
    for part in (
        "FAIL  r2  (task trip)",
        "The gate failed with MISSING_REQUIRED_FIELD",
        "required_fields",
        "gating",
        "stability 1.00, correctness not calibrated",
        "evaluator cost",
        "partial-",
    ):
        assert part in shown
    assert shown.index("fail    ") < shown.index("pass    ")
    data = json.loads(graded("report", "r2", "--json").stdout)
    assert data.pop("run_id").startswith("run_")
    assert report_from_json(data).result_id == "r2"
    assert "UNDECIDED  r3" in graded("report", "r3").stdout


def test_outputs_from_the_ledger(graded: Cli) -> None:
    runs = json.loads(graded("report", "--runs", "--json").stdout)["runs"]
    done = graded(
        "report",
        "--run",
        runs[1]["run_id"],
        "-o",
        "again/reports.jsonl",
        "-o",
        "again/summary.json",
    )
    assert done.returncode == 0
    lines = (graded.folder / "again/reports.jsonl").read_text().splitlines()
    assert [json.loads(line)["result_id"] for line in lines] == ["r1", "r2", "r3"]
    assert (
        json.loads((graded.folder / "again/summary.json").read_text())["attempted"] == 3
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "holds no result 'nobody'"),
        (["--run", "run_zz"], "error: --run: no run is called 'run_zz'"),
        (["--run", "run_"], "error: --run: several runs begin with 'run_'"),
        (["r1", "--run", "LATER"], "holds no result 'r1'"),
        (["r1", "--runs"], "error: --runs lists all runs"),
        (["r1", "-o", "x.jsonl"], "error: -o writes a whole run"),
        (["-o", "x.docx"], "error: x.docx: cannot tell the output format"),
        (["--ledger", "nowhere/ledger.db"], "nowhere/ledger.db"),
        (["--ledger", "results.jsonl"], "results.jsonl"),
    ],
)
def test_mistakes(graded: Cli, arguments: list[str], message: str) -> None:
    latest = json.loads(graded("report", "--json").stdout)["run_id"]
    done = graded(
        "report",
        *(latest if argument == "LATER" else argument for argument in arguments),
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert message in done.stderr
    assert not (graded.folder / "nowhere").exists()


def test_a_selection_without_results_says_so(graded: Cli) -> None:
    shown = graded("report", "--code", "UNAUTHORIZED_PAYMENT")
    assert shown.returncode == 0
    assert shown.stdout.startswith("no result is listed: ")
    plain = graded("report", "--code", "UNAUTHORIZED_PAYMENT", "--plain").stdout
    assert plain == "gate\tresult\tcode\tscore\treason\n"


def test_a_run_without_a_result_is_not_the_one_that_is_shown(graded: Cli) -> None:
    """A mistyped filter grades nothing, and hides no earlier run."""
    before = json.loads(graded("report", "--json").stdout)
    empty = graded(
        "grade", "results.jsonl", "-c", "contracts.yaml", "--filter", "no_such_key=1"
    )
    assert empty.returncode == 2
    assert json.loads(graded("report", "--json").stdout)["run_id"] == before["run_id"]
    assert len(json.loads(graded("report", "--runs", "--json").stdout)["runs"]) > 1
