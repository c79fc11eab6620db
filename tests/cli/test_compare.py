"""`judgemesh compare`, weeks and labels, through the command's own entry."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import CONTRACT, Cli, result


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path.name


def run(cli: Cli, *arguments: str, expect: int = 0) -> subprocess.CompletedProcess[str]:
    done = cli(*arguments)
    assert done.returncode == expect, done.stderr
    return done


def found(cli: Cli, *arguments: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(run(cli, *arguments, "--json").stdout)
    return data


Outcome = Callable[[int], str | None]


def rows(
    outcome_of: Outcome, tasks: int = 30, runs: int = 1, **extra: Any
) -> list[dict[str, Any]]:
    return [
        {
            "result_id": f"t{task}r{number}",
            "task_id": f"t{task}",
            "outcome": outcome_of(task),
            **extra,
        }
        for task in range(tasks)
        for number in range(runs)
    ]


def test_failures_that_became_undecided_are_no_improvement(cli: Cli) -> None:
    a = write(
        cli.folder / "a.jsonl",
        rows(lambda task: "complete" if task % 2 else "partial-"),
    )
    b = write(
        cli.folder / "b.jsonl", rows(lambda task: "complete" if task % 2 else None)
    )
    data = found(cli, "compare", a, b)
    assert (data["change"], data["undecided"], data["bounds"]) == (
        "no_evidence",
        15,
        [0.0, 0.5],
    )
    assert data["ci"]["low"] <= 0 <= data["ci"]["high"]
    assert data["levels"]["a"]["asr"] == found(cli, "asr", a)["asr"] == 0.5
    assert {flip["kind"] for flip in data["flips"]} == {"undecided"}
    shown = run(cli, "compare", a, b).stdout
    assert "15 undecided results" in " ".join(shown.split())


def test_costs_credits_and_flips(cli: Cli) -> None:
    a = write(cli.folder / "a.jsonl", rows(lambda _: "complete", cost=0.1))
    dear = rows(lambda task: "complete" if task else "hallucinated", cost=0.15)
    dear[0]["failure_reason_codes"] = ["FABRICATED_REFERENCE"]
    b = write(cli.folder / "b.jsonl", dear)
    assert found(cli, "compare", a, b)["change"] == "no_evidence"
    costly = found(cli, "compare", a, b, "--ceiling", "0.10")
    assert costly["change"] == "regressed"
    assert costly["levels"]["b"]["cost_per_success"] == pytest.approx(4.5 / 29)
    (flip,) = costly["flips"]
    assert (flip["result_id"], flip["kind"], flip["codes_gained"]) == (
        "t0r0",
        "worse",
        ["FABRICATED_REFERENCE"],
    )
    shown = run(cli, "compare", a, b, "--flips").stdout
    assert "+FABRICATED_REFERENCE" in shown
    kind = found(cli, "compare", a, b, "--credit", "hallucinated=1")
    assert kind["delta"] == 0


def test_what_is_paired_is_said(cli: Cli) -> None:
    a = write(
        cli.folder / "a.jsonl",
        rows(lambda task: "complete" if task % 3 else "partial-", 12, 5),
    )
    b = write(
        cli.folder / "b.jsonl",
        rows(lambda task: "complete" if task % 4 else "partial-", 12, 5),
    )
    data = found(cli, "compare", a, b)
    assert (data["paired_by"], data["units"], data["tasks"]) == ("result", "tasks", 12)
    text = " ".join(run(cli, "compare", a, b).stdout.split())
    assert "by result, since tasks repeat; 12 tasks as units" in text
    chosen = found(cli, "compare", a, b, "--by", "result")
    assert (chosen["units"], chosen["tasks"]) == ("results", 60)
    other = [
        {**row, "task_id": f"u{row['task_id']}"}
        for row in rows(lambda _: "partial-", 12)
    ]
    c = write(cli.folder / "c.jsonl", other)
    apart = found(cli, "compare", a, c)
    assert (apart["paired_by"], apart["change"], apart["flips"]) == (
        None,
        "regressed",
        [],
    )
    assert "12 tasks of A, 12 of B" in run(cli, "compare", a, c).stdout
    forced = found(cli, "compare", a, b, "--unpaired")
    assert forced["paired_by"] is None
    assert (
        "give --by or --unpaired"
        in run(cli, "compare", a, b, "--unpaired", "--by", "task", expect=2).stderr
    )


def test_labels_of_two_versions(cli: Cli) -> None:
    a = write(cli.folder / "a.jsonl", rows(lambda _: "complete"))
    b = write(cli.folder / "b.jsonl", rows(lambda _: "complete"))
    one = write(
        cli.folder / "one.jsonl",
        [
            {"result_id": f"t{n}r0", "outcome_class": "hallucinated", "labeler": "ann"}
            for n in range(20)
        ],
    )
    two = write(
        cli.folder / "two.jsonl",
        [{"result_id": "t0r0", "outcome_class": "complete", "labeler": "ann"}],
    )
    refused = run(cli, "compare", a, b, "--labels", one, expect=2).stderr
    assert "give --labels twice" in refused
    done = run(cli, "compare", a, b, "--labels", two, "--labels", one, "--json")
    assert json.loads(done.stdout)["change"] == "regressed"
    assert "people looked at 20 of 30 graded" in " ".join(done.stderr.split())


def test_labels_of_failures_alone_leave_the_doubt_about_the_others(cli: Cli) -> None:
    a = write(
        cli.folder / "a.jsonl",
        rows(lambda task: "complete" if task % 20 else "partial-", 200),
    )
    said = [
        {"result_id": f"t{task}r0", "outcome_class": "complete", "labeler": "ann"}
        for task in range(0, 200, 20)
    ]
    seen = write(cli.folder / "seen.jsonl", said)
    data = found(cli, "asr", a, "--labels", seen)
    assert data["asr"] == 1
    assert data["ci"]["low"] < 0.95
    assert "none of 190 graded complete" in data["grades_unseen"]
    drawn = write(
        cli.folder / "drawn.jsonl", [{**row, "drawn": "at_random"} for row in said]
    )
    assert (
        "chance does not do that"
        in found(cli, "asr", a, "--labels", drawn)["correction"]["why_not"]
    )
    chosen = write(
        cli.folder / "chosen.jsonl", [{**row, "drawn": "chosen"} for row in said]
    )
    refused = run(
        cli, "asr", a, "--labels", chosen, "--correct", "--drawn", "at_random", expect=2
    )
    assert "contradicts what 10 of 10 labels note: chosen" in refused.stderr


def test_weeks_say_what_they_rest_on(cli: Cli) -> None:
    days = ("2026-01-05", "2026-01-14", "2026-02-03")
    dated = [
        {
            "result_id": f"w{week}t{task}",
            "task_id": f"t{task}",
            "ended_at": f"{day}T10:00:00+00:00",
            "cost": 0.1,
        }
        | {
            "outcome": None
            if task == 9
            else "complete"
            if task < 6 + week
            else "partial-"
        }
        for week, day in enumerate(days)
        for task in range(10)
    ]
    a = write(cli.folder / "a.jsonl", dated)
    weeks = found(cli, "asr", a, "--weekly")["weeks"]
    assert [week["empty_weeks_before"] for week in weeks] == [0, 0, 2]
    assert [week["rolling_weeks"] for week in weeks] == [1, 2, 2]
    assert weeks[1]["rate_change"]["paired"] is True
    assert weeks[2]["first_day"] == "2026-02-03"
    assert weeks[0]["undecided_share"] == pytest.approx(0.1)
    text = " ".join(run(cli, "asr", a, "--weekly").stdout.split())
    for part in (
        "2 weeks without results before it",
        "10% undecided",
        "mean of 2 weeks",
        "per success",
    ):
        assert part in text
    table = run(cli, "asr", a, "--weekly", "--markdown").stdout.splitlines()
    assert table[0].startswith("| week of | results | ASR |")
    assert len({line.count("|") for line in table if line.startswith("|")}) == 1


def test_the_table_of_a_run_is_read_as_its_reports(cli: Cli) -> None:
    cli.write("contracts.yaml", CONTRACT)
    for name, good in (("old", 3), ("new", 5)):
        results = [
            {**result(f"=r{n}", good=n < good), "cost": 0.25, "ended_at": "2026-04-28"}
            for n in range(8)
        ]
        cli.write(f"{name}-in.jsonl", *results)
        outputs = ("-o", f"{name}.csv", "-o", f"{name}.jsonl", "-q")
        done = cli("grade", f"{name}-in.jsonl", "-c", "contracts.yaml", *outputs)
        assert done.returncode == 1, done.stderr
    for command in (
        ("asr", "new.csv", "--ceiling", "0.2", "--before", "old.csv"),
        ("asr", "new.csv", "--weekly"),
        ("compare", "old.csv", "new.csv", "--by", "result", "--flips"),
    ):
        of_table = run(cli, *command, "--json")
        lines = [word.replace(".csv", ".jsonl") for word in command]
        of_lines = run(cli, *lines, "--json").stdout.replace(".jsonl", ".csv")
        assert json.loads(of_table.stdout) == json.loads(of_lines)
        assert of_table.stderr == ""


def test_a_table_of_ones_own(cli: Cli) -> None:
    table = "task_id,outcome,cost,currency\na,complete,0.25,EUR\nb,,,\nc,partial+,1,EUR"
    cli.write("own.csv", table)
    found = json.loads(run(cli, "asr", "own.csv", "--ceiling", "2", "--json").stdout)
    assert (found["cost"]["currency"], found["decided"]) == ("EUR", 2)
    cli.write("scores.csv", "task_id,score\na,5\nb,3\nc,six")
    done = run(cli, "asr", "scores.csv", expect=2)
    assert "scores.csv:4: score: expected 1, 2, 3, 4 or 5, got 'six'" in done.stderr
