"""A third party's package is installed, and the command finds its validators, runs them and names the broken one."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).with_name("package")
COMMAND = Path(sys.executable).with_name("judgemesh")

RESULTS = (
    {
        "result_id": "good",
        "task_id": "refund",
        "output": {"final_answer": "Your refund is on its way: CONF-17.\nKind regards"},
    },
    {
        "result_id": "bad",
        "task_id": "refund",
        "output": {
            "final_answer": "Done and done and done and done and done: CONF-99. Bye"
        },
    },
)
RECORDS = """\
{"result_id": "good", "kind": "refund", "confirmation_id": "CONF-17"}
{"result_id": "bad", "kind": "refund", "confirmation_id": "CONF-18"}
"""
CONTRACT = """\
task_id: refund
validators:
  - {name: sign_off, args: {text: Kind regards}}
  - {name: confirmation_ids, args: {source: {type: jsonl, path: records.jsonl}}}
  - {name: word_budget, args: {words: 10}}
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished command."""

    code: int
    out: str
    err: str

    def error_line(self) -> str:
        """The one line on stderr."""
        (line,) = self.err.splitlines()
        return line


@dataclass(frozen=True, slots=True)
class Bench:
    """A folder with results and a contract, and the command run in it."""

    folder: Path
    site: Path | None

    def run(self, *arguments: str) -> Ran:
        """Run `judgemesh` with the plug-in's folder on the path, if there is one."""
        environment = {
            key: value
            for key, value in os.environ.items()
            if key not in ("PYTHONPATH", "JUDGEMESH_LEDGER")
        }
        environment |= {"PYTHONSAFEPATH": "1", "NO_COLOR": "1", "CI": "1"}
        if self.site is not None:
            environment["PYTHONPATH"] = str(self.site)
        command = [str(COMMAND), *arguments]
        run = subprocess.run(
            command,
            cwd=self.folder,
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            env=environment,
        )
        return Ran(run.returncode, run.stdout, run.stderr)

    def grade(self, contract: str) -> Ran:
        """Grade both results by `contract`."""
        (self.folder / "contracts.yaml").write_text(contract, encoding="utf-8")
        (self.folder / "records.jsonl").write_text(RECORDS, encoding="utf-8")
        lines = "".join(json.dumps(result) + "\n" for result in RESULTS)
        (self.folder / "results.jsonl").write_text(lines, encoding="utf-8")
        options = [
            "--ledger",
            "sqlite:///ledger.db",
            "-o",
            "reports.jsonl",
            "--json",
            "--no-progress",
        ]
        return self.run(
            "grade", "results.jsonl", "--contracts", "contracts.yaml", *options
        )

    def verdicts(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The verdict of each validator on each result, from the report lines."""
        reports = [
            json.loads(line)
            for line in (self.folder / "reports.jsonl")
            .read_text(encoding="utf-8")
            .splitlines()
        ]
        return {
            (report["result_id"], verdict["validator_name"]): verdict
            for report in reports
            for verdict in report["verdicts"]
        }

    def gates(self) -> dict[str, str]:
        """The gate of each result, from the report lines."""
        reports = [
            json.loads(line)
            for line in (self.folder / "reports.jsonl")
            .read_text(encoding="utf-8")
            .splitlines()
        ]
        return {report["result_id"]: report["gate"] for report in reports}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The third party's package, installed by pip into a folder of its own."""
    source = tmp_path_factory.mktemp("plugin") / "source"
    target = source.with_name("site")
    shutil.copytree(
        PACKAGE,
        source,
        ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"),
    )
    options = [
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--disable-pip-version-check",
    ]
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        *options,
        "--target",
        str(target),
        str(source),
    ]
    run = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return target


@pytest.fixture
def bench(tmp_path: Path, site: Path) -> Bench:
    return Bench(tmp_path, site)


def test_its_validators_are_listed(bench: Bench) -> None:
    ran = bench.run("validators", "--json")
    assert ran.code == 0, ran.err
    rows = {row["name"]: row for row in json.loads(ran.out)}
    theirs = {
        name: row
        for name, row in rows.items()
        if row["origin"] == "judgemesh-example-plugin 1.2.0"
    }
    assert set(theirs) == {
        "sign_off",
        "confirmation_ids",
        "word_budget",
        "needs_a_backend",
    }
    forms = {
        name: (row["form"], row["version"])
        for name, row in theirs.items()
        if row["error"] is None
    }
    assert forms == {
        "sign_off": ("plain", "0"),
        "confirmation_ids": ("generator", "3"),
        "word_budget": ("async", "1"),
    }
    assert (
        theirs["sign_off"]["summary"]
        == "The answer ends with the sign-off that the contract gives as `text`."
    )


def test_the_one_that_cannot_be_loaded_is_listed_with_the_reason(bench: Bench) -> None:
    ran = bench.run("validators", "--json")
    (row,) = (row for row in json.loads(ran.out) if row["name"] == "needs_a_backend")
    for text in (row["error"], ran.error_line()):
        assert "judgemesh_example_plugin.needs_a_backend" in text
        assert "No module named 'judgemesh_example_backend'" in text


def test_the_table_for_people_names_them_too(bench: Bench) -> None:
    ran = bench.run("validators")
    assert ran.code == 0, ran.err
    for name in (
        "sign_off",
        "confirmation_ids",
        "word_budget",
        "needs_a_backend",
        "judgemesh-example-plugin",
    ):
        assert name in ran.out


def test_its_validators_run_where_a_contract_names_them(bench: Bench) -> None:
    ran = bench.grade(CONTRACT)
    assert ran.code == 1, ran.err
    assert bench.gates() == {"good": "pass", "bad": "fail"}
    found = {
        key: (row["kind"], tuple(row["failure_reason_codes"]))
        for key, row in bench.verdicts().items()
    }
    names = ("sign_off", "confirmation_ids", "word_budget")
    assert {key: value for key, value in found.items() if key[1] in names} == {
        ("good", "sign_off"): ("pass", ()),
        ("good", "confirmation_ids"): ("pass", ()),
        ("good", "word_budget"): ("pass", ()),
        ("bad", "sign_off"): ("fail", ("UNKNOWN_FAILURE",)),
        ("bad", "confirmation_ids"): ("fail", ("EXECUTION_RESULT_NOT_FOUND",)),
        ("bad", "word_budget"): ("fail", ("OUTPUT_FORMAT_INVALID",)),
    }
    summary = json.loads(ran.out)
    assert (
        summary["attempted"],
        summary["passed"],
        summary["failed"],
        summary["undecided"],
    ) == (2, 1, 1, 0)


def test_its_verdicts_are_in_the_ledger(bench: Bench) -> None:
    bench.grade(CONTRACT)
    with closing(sqlite3.connect(bench.folder / "ledger.db")) as ledger:
        rows = ledger.execute(
            "SELECT validator_name, COUNT(*) FROM eval_validator_result GROUP BY 1"
        ).fetchall()
    counts = dict(rows)
    assert {
        name: counts.get(name)
        for name in ("sign_off", "confirmation_ids", "word_budget")
    } == {
        "sign_off": 2,
        "confirmation_ids": 2,
        "word_budget": 2,
    }


def test_naming_the_one_that_cannot_be_loaded_is_an_error_and_grades_nothing(
    bench: Bench,
) -> None:
    ran = bench.grade(CONTRACT + "  - needs_a_backend\n")
    assert ran.code == 2, ran.err
    assert ran.out == ""
    line = ran.error_line()
    assert "needs_a_backend" in line
    assert "judgemesh_example_backend" in line
    assert "contracts.yaml" in line
    assert not (bench.folder / "reports.jsonl").exists()


def test_the_one_that_cannot_be_loaded_is_no_matter_where_nobody_names_it(
    bench: Bench,
) -> None:
    ran = bench.grade(CONTRACT)
    assert ran.code == 1, ran.err
    assert "needs_a_backend" not in ran.out + ran.err


def test_without_the_package_its_validators_are_unknown(tmp_path: Path) -> None:
    bench = Bench(tmp_path, None)
    ran = bench.grade(CONTRACT)
    assert ran.code == 2, ran.err
    assert ran.out == ""
    assert any(
        "sign_off" in line and "contracts.yaml" in line for line in ran.err.splitlines()
    ), ran.err


@pytest.mark.parametrize("at", ["opening", "records"])
def test_a_source_that_ends_the_process_is_an_evaluator_error(
    bench: Bench, at: str
) -> None:
    ran = bench.grade(
        "task_id: refund\n"
        "execution:\n"
        f"  source: {{type: quitting, at: {at}}}\n"
        "  expected: [{kind: refund}]\n"
    )
    assert ran.code == 3, ran.err
    assert bench.gates() == {"good": "undecided", "bad": "undecided"}
    verdict = bench.verdicts()["good", "execution"]
    assert verdict["kind"] == "error"
    assert "SystemExit" in json.dumps(verdict)
