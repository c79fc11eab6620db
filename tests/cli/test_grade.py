"""`judgemesh grade`, the installed command on real files and a real ledger."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from .conftest import Cli, ResultOf

SUMMARY_KEYS = {
    "attempted",
    "passed",
    "failed",
    "undecided",
    "task_success_rate",
    "task_success_bounds",
    "average_outcome_score",
    "failure_codes",
    "outcome_classes",
    "evaluator_cost",
    "judge_calls",
    "exit_rule",
    "run_id",
    "resumed",
    "rejected",
    "error_results",
    "cost_avoided",
    "ledger",
    "outputs",
    "warnings",
}


def graded(
    cli: Cli, *arguments: str, stdin: str = ""
) -> tuple[int, dict[str, Any], str]:
    """Exit code, the JSON summary and stderr of `grade --json`."""
    every = ("grade", *arguments, "-c", "contracts.yaml", "--json")
    done = cli.process(*every, stdin=stdin) if stdin else cli(*every)
    return done.returncode, json.loads(done.stdout), done.stderr


def test_all_passed(cli: Cli, make: ResultOf) -> None:
    cli.write("results.jsonl", make("r1"), make("r2"))
    done = cli.process("grade", "results.jsonl", "--contracts", "contracts.yaml")
    assert done.returncode == 0
    assert done.stderr == "exit 0: all 2 gates passed\n"
    for part in (
        "passed     2  100.0%",
        "task success rate",
        "1.000",
        "evaluator cost",
        "0 USD",
        "judgemesh report RESULT_ID",
    ):
        assert part in done.stdout


def test_summary_object(cli: Cli, make: ResultOf) -> None:
    cli.write(
        "results.jsonl",
        make("r1"),
        make("r2", good=False),
        make("r3", task_id="no such task"),
        "{",
    )
    code, summary, stderr = graded(cli, "results.jsonl", "--fail-on-error", "2")
    assert summary.keys() >= SUMMARY_KEYS
    assert (
        summary["attempted"],
        summary["passed"],
        summary["failed"],
        summary["undecided"],
    ) == (3, 1, 1, 1)
    assert summary["rejected"] == 1
    assert summary["error_results"] == 1
    assert summary["task_success_rate"] == pytest.approx(1 / 3)
    assert summary["task_success_bounds"] == pytest.approx([1 / 3, 2 / 3])
    assert summary["failure_codes"]["MISSING_REQUIRED_FIELD"] == 1
    assert summary["failure_codes"]["EVALUATOR_FAILURE"] == 1
    assert sum(summary["outcome_classes"].values()) == 2
    assert summary["evaluator_cost"] == {"amount": 0.0, "currency": "USD"}
    assert summary["judge_calls"] == 0
    assert (
        summary["exit_rule"]
        == "exit 1: 1 of 3 gates failed and 1 undecided (no --fail-under given)"
    )
    assert code == 1
    assert stderr.splitlines()[-1] == summary["exit_rule"]
    assert stderr.startswith("rejected: results.jsonl:4: ")


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        ([], 1, "1 of 4 gates failed (no --fail-under given)"),
        (
            ["--fail-under", "0.75"],
            0,
            "task success rate 0.75 (3 of 4) is not below --fail-under 0.75",
        ),
        (
            ["--fail-under", "76%"],
            1,
            "task success rate 0.75 (3 of 4) is below --fail-under 0.76",
        ),
        (["--filter", "r[12]"], 0, "all 2 gates passed"),
        (["--limit", "1"], 0, "1 gate passed"),
        (
            ["--filter", "zz*"],
            2,
            "nothing was graded: none of the 4 results matches --filter zz*",
        ),
        (
            ["--filter", "taskid=x"],
            2,
            "nothing was graded: none of the 4 results matches --filter taskid=x; no result has a field 'taskid', did you mean 'task_id'?",
        ),
    ],
)
def test_exit_codes(
    cli: Cli, make: ResultOf, arguments: list[str], code: int, why: str
) -> None:
    cli.write(
        "results.jsonl", make("r1"), make("r2"), make("r3"), make("bad", good=False)
    )
    found, summary, _stderr = graded(cli, "results.jsonl", *arguments)
    assert (found, summary["exit_rule"]) == (code, f"exit {code}: {why}")
    if not summary["attempted"]:
        assert summary["task_success_rate"] is None
        assert summary["task_success_bounds"] is None


def test_outputs_of_all_formats_and_resume(cli: Cli, make: ResultOf) -> None:
    """A continued run gives complete files, in input order."""
    names = [f"r{number}" for number in range(30, 0, -1)]
    cli.write("results.jsonl", *(make(name, good=name != "r7") for name in names[:20]))
    outputs = [
        "-o",
        "out/deep/reports.jsonl",
        "-o",
        "out/junit.xml",
        "-o",
        "out/summary.json",
    ]
    code, first, _stderr = graded(cli, "results.jsonl", *outputs)
    assert (code, first["attempted"], first["resumed"]) == (0, 20, 0)
    cli.write("results.jsonl", *(make(name, good=name != "r7") for name in names))
    code, second, _stderr = graded(cli, "results.jsonl", *outputs)
    assert (code, second["attempted"], second["resumed"]) == (1, 30, 20)
    assert second["run_id"] == first["run_id"]
    reports = [
        json.loads(line)
        for line in (cli.folder / "out/deep/reports.jsonl").read_text().splitlines()
    ]
    assert [report["result_id"] for report in reports] == names
    suite = ET.parse(cli.folder / "out/junit.xml").getroot().find("testsuite")  # noqa: S314 (our own output)
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("30", "1")
    assert [case.get("name") for case in suite.iter("testcase")] == names
    assert json.loads((cli.folder / "out/summary.json").read_text()) == second
    assert sorted(
        path.name for path in (cli.folder / "out").rglob("*") if path.is_file()
    ) == [
        "junit.xml",
        "reports.jsonl",
        "summary.json",
    ]


def test_no_resume_grades_again(cli: Cli, make: ResultOf) -> None:
    cli.write("results.jsonl", make("r1"))
    _code, first, _stderr = graded(cli, "results.jsonl")
    _code, second, _stderr = graded(cli, "results.jsonl", "--no-resume")
    assert second["resumed"] == 0
    assert second["run_id"] != first["run_id"]


def test_standard_input_gzip_and_ledger(cli: Cli, make: ResultOf) -> None:
    (cli.folder / "more.jsonl.gz").write_bytes(
        gzip.compress(json.dumps(make("r2")).encode())
    )
    code, summary, _stderr = graded(
        cli,
        "-",
        "more.jsonl.gz",
        "--ledger",
        "sqlite:///deep/own.db",
        stdin=json.dumps(make("r1")),
    )
    assert (code, summary["attempted"]) == (0, 2)
    with closing(sqlite3.connect(cli.folder / "deep/own.db")) as connection:
        rows = connection.execute(
            "SELECT result_id, hard_success FROM eval_task_result ORDER BY result_id"
        ).fetchall()
    assert rows == [("r1", 1), ("r2", 1)]
    assert not (cli.folder / ".judgemesh").exists()


def test_rejected_lines_are_kept(cli: Cli, make: ResultOf) -> None:
    cli.write(
        "results.jsonl", make("r1"), *(f"broken {number}" for number in range(15))
    )
    code, summary, stderr = graded(
        cli, "results.jsonl", "--rejects", "bad/rejects.jsonl"
    )
    assert (code, summary["rejected"], summary["passed"]) == (3, 15, 1)
    assert summary["rejects_file"] == "bad/rejects.jsonl"
    assert len((cli.folder / "bad/rejects.jsonl").read_text().splitlines()) == 15
    lines = stderr.splitlines()
    assert [line.split(": ")[0] for line in lines[:10]] == ["rejected"] * 10
    assert lines[10:] == ["and 5 more rejected lines", summary["exit_rule"]]


def test_quiet_says_only_what_went_wrong(cli: Cli, make: ResultOf) -> None:
    cli.write("results.jsonl", make("r1"))
    done = cli("grade", "results.jsonl", "-c", "contracts.yaml", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    cli.write("results.jsonl", make("r1", good=False))
    done = cli("grade", "results.jsonl", "-c", "contracts.yaml", "-q")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "exit 1: 1 of 1 gate failed (no --fail-under given)\n"


def test_a_reader_that_leaves_is_no_error(cli: Cli, make: ResultOf) -> None:
    cli.write("results.jsonl", make("r1", good=False))
    process = cli.start("grade", "results.jsonl", "-c", "contracts.yaml")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    stderr = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 1
    assert stderr == "exit 1: 1 of 1 gate failed (no --fail-under given)\n"


def test_hostile_text_reaches_no_terminal(cli: Cli, make: ResultOf) -> None:
    cli.write(
        "results.jsonl",
        make("\x1b[2J\x1b]0;owned\x07", task_id="\x1b[31m"),
        '{"result_id": "\x1b[31m"}',
    )
    done = cli("grade", "results.jsonl", "-c", "contracts.yaml", "-o", "junit.xml")
    assert done.returncode == 3
    assert "\x1b" not in done.stdout + done.stderr
    shown = cli("report", "\x1b[2J\x1b]0;owned\x07")
    assert shown.returncode == 0
    assert "\x1b" not in shown.stdout + shown.stderr
    assert "\\x1b[2J" in shown.stdout
    ET.parse(cli.folder / "junit.xml")  # noqa: S314 (our own output)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jsonl", "-c", "contracts.yaml"], "error: missing.jsonl: no such file"),
        ([".", "-c", "contracts.yaml"], "error: .: is a folder"),
        (["/dev/null", "-c", "contracts.yaml"], "error: /dev/null: is a pipe or a device"),
        (["results.jsonl", "results.jsonl", "-c", "contracts.yaml"], "error: results.jsonl: is named twice"),
        (["results.jsonl", "-c", "nowhere.yaml"], "error: nowhere.yaml: cannot be read"),
        (["results.jsonl", "-c", "bad.yaml"], "error: bad.yaml:2:1: tsak_id: unknown key"),
        (["results.jsonl", "-c", "unknown.yaml"], "error: unknown.yaml:2:"),
        (["results.jsonl", "-c", "contracts.yaml", "-o", "out.pdf"], "error: out.pdf: cannot tell the output format"),
        (["results.jsonl", "-c", "contracts.yaml", "-o", "results.jsonl"], "error: results.jsonl: would replace a file"),
        (["results.jsonl", "-c", "contracts.yaml", "-o", "contracts.yaml/x.xml"], "error: contracts.yaml/x.xml: cannot be written"),
        (["results.jsonl", "-c", "contracts.yaml", "--fail-under", "7"], "error: --fail-under: expected a share"),
        (["results.jsonl", "-c", "contracts.yaml", "--fail-under", "high"], "error: --fail-under: expected a share"),
        (["results.jsonl"], "error: no contracts are given (--contracts PATH)"),
        (["results.jsonl", "-c", "contracts.yaml", "-j", "0"], "error: --max-concurrency: expected a whole number of 1 or more, got '0'"),
        (["results.jsonl", "-c", "contracts.yaml", "--validator", "nope"], "no validator is called 'nope'"),
        (["results.jsonl", "-c", "contracts.yaml", "--ledger", "what://ever"], "error: ledger what://ever"),
        (["results.jsonl", "-c", "contracts.yaml", "--ledger", "contracts.yaml"], "error: ledger contracts.yaml"),
        (["results.jsonl", "-c", "contracts.yaml", "--ledger", ":memory:", "-o", "x.xml"], "error: --ledger: a ledger in memory"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line_before_any_work(
    cli: Cli, make: ResultOf, arguments: list[str], message: str
) -> None:
    cli.write("results.jsonl", make("r1"))
    cli.write("bad.yaml", "task_id: x", "tsak_id: y")
    cli.write("unknown.yaml", "task_id: trip", "validators: [no_such_validator]")
    done = cli("grade", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert message in done.stderr
    ledger = cli.folder / ".judgemesh" / "ledger.db"
    if ledger.exists():
        with closing(sqlite3.connect(ledger)) as connection:
            assert connection.execute(
                "SELECT count(*) FROM eval_task_result"
            ).fetchone() == (0,)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nope"],
        ["-c", "contracts.yaml"],
        ["results.jsonl", "-c", "contracts.yaml", "--limit", "0"],
    ],
)
def test_wrong_usage(cli: Cli, make: ResultOf, arguments: list[str]) -> None:
    cli.write("results.jsonl", make("r1"))
    done = cli("grade", *arguments)
    assert done.returncode == 2
    assert "Usage: judgemesh grade" in done.stderr
    assert "Traceback" not in done.stderr


def test_many_contract_faults_are_counted(cli: Cli, make: ResultOf) -> None:
    cli.write("results.jsonl", make("r1"))
    cli.write("bad.yaml", "task_id: x", *(f"wrong{number}: 1" for number in range(30)))
    done = cli("grade", "results.jsonl", "-c", "bad.yaml")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "error: and 10 more problems"


def test_outputs_replace_their_own_kind_only(cli: Cli, make: ResultOf) -> None:
    cli.write("results.jsonl", make("r1"), "not a result")
    cli.write("recording.jsonl", {"key": "a"})
    outputs = ("-o", "a.jsonl", "-o", "a.xml", "-o", "a.md", "-o", "a.json")
    for _ in range(2):
        done = cli(
            *("grade", "results.jsonl", "-c", "contracts.yaml", *outputs),
            *("--rejects", "rejects.jsonl", "--ledger", "l.db"),
        )
        assert done.returncode == 3, done.stderr
    kept = {path: path.read_bytes() for path in cli.folder.iterdir() if path.is_file()}
    for option, name in (
        ("-o", "recording.jsonl"),
        ("-o", "rejects.jsonl"),
        ("--rejects", "recording.jsonl"),
        ("--rejects", "a.jsonl"),
        ("--rejects", "l.db"),
    ):
        done = cli("grade", "results.jsonl", "-c", "contracts.yaml", option, name)
        assert done.returncode == 2
        assert done.stderr.startswith(f"error: {name}: is not replaced")
        assert done.stderr.count("\n") == 1
    assert kept == {
        path: path.read_bytes() for path in cli.folder.iterdir() if path.is_file()
    }


def test_rejects_replace_neither_the_input_nor_the_ledger(
    cli: Cli, make: ResultOf
) -> None:
    cli.write("results.jsonl", make("r1"), "not a result")
    kept = {path: path.read_bytes() for path in cli.folder.iterdir() if path.is_file()}
    for name in ("results.jsonl", "./results.jsonl", "new.db"):
        done = cli(
            *("grade", "results.jsonl", "-c", "contracts.yaml"),
            *("--rejects", name, "--ledger", "new.db"),
        )
        assert done.returncode == 2
        assert "would replace a file that is also read or written" in done.stderr
        assert done.stderr.count("\n") == 1
    assert kept == {
        path: path.read_bytes() for path in cli.folder.iterdir() if path.is_file()
    }


def test_other_commands_replace_their_own_outputs_only(
    cli: Cli, make: ResultOf
) -> None:
    cli.write("results.jsonl", make("r1"))
    cli.write("chat.json", [{"role": "user", "content": "hi"}])
    cli("grade", "results.jsonl", "-c", "contracts.yaml", "--ledger", "l.db", "-q")
    cli.write("labels.jsonl", {"result_id": "r1", "label": "yes"})
    steps = Path("examples/cost_profile/steps.jsonl").resolve()
    kept = {path: path.read_bytes() for path in cli.folder.iterdir() if path.is_file()}
    for command in (
        ("convert", "chat.json", "--task", "t", "-o", "l.db"),
        ("convert", "chat.json", "--task", "t", "-o", "chat.json"),
        ("label", "export", "labels.jsonl", "--ledger", "l.db"),
        ("trace", "bill", str(steps), "-o", "chat.json"),
    ):
        done = cli(*command)
        assert done.returncode == 2, done.stderr
        assert "is not replaced" in done.stderr
        assert done.stderr.count("\n") == 1
    assert kept == {
        path: path.read_bytes() for path in cli.folder.iterdir() if path.is_file()
    }
    for _ in range(2):
        assert (
            cli("convert", "chat.json", "--task", "t", "-o", "c.jsonl").returncode == 0
        )
        assert cli("label", "export", "q.csv", "--ledger", "l.db").returncode == 0
        assert cli("trace", "bill", str(steps), "-o", "b.json").returncode == 0


def test_a_cell_of_labels_that_is_too_long_is_one_line(
    cli: Cli, make: ResultOf
) -> None:
    cli.write("results.jsonl", make("r1"))
    cli("grade", "results.jsonl", "-c", "contracts.yaml", "--ledger", "l.db", "-q")
    cli.write("labels.csv", "result_id,label,note", f"r1,yes,{'x' * 200_000}")
    done = cli("label", "import", "labels.csv", "--ledger", "l.db")
    assert done.returncode == 2
    assert "labels.csv:2: is no CSV: field larger than field limit" in done.stderr


def test_what_is_redacted_is_in_no_output(cli: Cli) -> None:
    phone = "555-123-4567"
    cli.write("c.yaml", "task_id: trip", "answer: {contains: sealed}")
    result = {
        "result_id": "r",
        "task_id": "trip",
        "output": {"final_answer": f"Call {phone}."},
    }
    (cli.folder / "r.jsonl").write_text(json.dumps(result) + f'\n{{"broken {phone}\n')
    grade = ("grade", "r.jsonl", "-c", "c.yaml", "--ledger", "l.db", "--json")
    outputs = ("-o", "o.jsonl", "-o", "o.html", "-o", "o.md", "--rejects", "no.jsonl")
    done = cli(*grade, *outputs, "--redact", r"\d{3}-\d{3}-\d{4}")
    shown = cli("report", "r", "--ledger", "l.db")
    assert "Call ***" in shown.stdout
    assert phone not in done.stdout + done.stderr + shown.stdout
    for path in cli.folder.iterdir():
        if path.name != "r.jsonl":
            assert phone.encode() not in path.read_bytes(), path.name
    assert cli("doctor", "--verify", "l.db").returncode == 0
