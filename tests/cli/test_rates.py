"""`judgemesh asr` and `judgemesh compare`, through the command's own entry."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli

CLASSES = ["complete"] * 58 + ["partial+"] * 12 + ["partial-"] * 8 + ["hallucinated"] * 4 + ["abandoned"] * 18


def run(cli: Cli, *arguments: object, expect: int = 0) -> subprocess.CompletedProcess[str]:
    done = cli(*map(str, arguments))
    assert done.returncode == expect, done.stderr
    return done


def summary(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def labels(path: Path, classes: list[str] = CLASSES, **extra: Any) -> Path:
    return write(
        path, [{"result_id": f"r{n}", "task_id": f"t{n}", "outcome": one, **extra} for n, one in enumerate(classes)]
    )


def test_the_rate_of_a_file(cli: Cli) -> None:
    labels(cli.folder / "week.jsonl", cost=0.15)
    found = summary(run(cli, "asr", "week.jsonl", "--json"))
    assert found["asr"] == pytest.approx(0.628)
    assert (found["tasks"], found["cost"]["currency"], found["cost"]["over_ceiling"]) == (100, "USD", None)
    costly = summary(run(cli, "asr", "week.jsonl", "--ceiling", "0.10", "--json"))
    assert costly["asr"] == pytest.approx(0.58 * 0.5)
    assert costly["cost"]["over_ceiling"] == 1.0
    shown = run(cli, "asr", "week.jsonl").stdout
    assert "ASR 0.628 ±" in shown
    assert "hallucinated" in shown


def test_scores_weeks_and_changes(cli: Cli) -> None:
    scores = [{"score": 5 - n % 5, "date": f"2026-01-{5 + 7 * (n // 50):02d}"} for n in range(150)]
    write(cli.folder / "scores.jsonl", scores)
    weeks = summary(run(cli, "asr", "scores.jsonl", "--weekly", "--json"))["weeks"]
    assert [week["monday"] for week in weeks] == ["2026-01-05", "2026-01-12", "2026-01-19"]
    assert {round(week["rolling_mean"], 6) for week in weeks} == {0.28}
    text = run(cli, "asr", "scores.jsonl", "--weekly").stdout
    assert "Week of 2026-01-12: ASR 0.28" in text
    labels(cli.folder / "now.jsonl", ["complete"] * 40 + ["abandoned"] * 60)
    changed = summary(run(cli, "asr", "now.jsonl", "--before", labels(cli.folder / "then.jsonl"), "--json"))
    assert changed["changes"]["abandoned"]["real"] is True


def test_the_rate_of_a_run_with_ceilings_of_its_contracts(cli: Cli) -> None:
    (cli.folder / "c.yaml").write_text(
        "task_id: t\nsuccess_criteria: {must_include: [total]}\nbudget: {ceiling: 0.10}\n"
    )
    rows = [
        {"result_id": f"r{n}", "task_id": "t", "output": "Total: 3", "cost": cost}
        for n, cost in enumerate([0.05, 0.15])
    ]
    write(cli.folder / "results.jsonl", rows)
    run(cli, "grade", "results.jsonl", "-c", "c.yaml")
    found = summary(run(cli, "asr", "--contracts", "c.yaml", "--json"))
    assert found["asr"] == pytest.approx(0.75)
    assert found["cost_per_success"] == pytest.approx(0.10)


def test_two_versions(cli: Cli) -> None:
    good = labels(cli.folder / "good.jsonl", ["complete"] * 80 + ["partial-"] * 20)
    bad = labels(cli.folder / "bad.jsonl", ["complete"] * 50 + ["partial-"] * 50)
    better = summary(run(cli, "compare", bad, good, "--json"))
    assert (better["change"], better["tasks"]) == ("improved", 100)
    run(cli, "compare", bad, good, "--fail-if-regressed")
    worse = run(cli, "compare", good, bad, "--fail-if-regressed", expect=1)
    assert "REGRESSED" in worse.stdout
    run(cli, "compare", good, bad)


@pytest.mark.parametrize(
    ("rows", "arguments", "says"),
    [
        ([{"outcome": "good"}], [], "rows.jsonl:1: outcome: expected complete, partial+"),
        ([{"outcome": ["complete"]}], [], "rows.jsonl:1: outcome: expected complete, partial+"),
        ([{"outcome": "complete", "gate": {}}], [], "rows.jsonl:1: gate: expected pass, fail or undecided"),
        ([{"score": [5]}], [], "rows.jsonl:1: score: expected 1, 2, 3, 4 or 5, got [5]"),
        ([{"score": 6}], [], "rows.jsonl:1: score: expected 1, 2, 3, 4 or 5, got 6"),
        ([{"task_id": "t"}], [], "rows.jsonl:1: expected `outcome`"),
        ([{"outcome": "complete", "cost": -1}], [], "expected a finite amount of 0 or more"),
        ([{"outcome": None}], [], "no task is decided, so there is no rate"),
        ([], [], "rows.jsonl: holds no rows"),
        ([{"outcome": "complete"}], ["--weekly"], "--weekly needs a `date` on every row; 1 have none"),
        ([{"outcome": "complete"}], ["--ceiling", "0"], "a cost ceiling must be above 0"),
        (
            [{"outcome": "complete", "cost": {"amount": 1, "currency": c}} for c in ("EUR", "USD")],
            [],
            "several currencies: EUR, USD",
        ),
    ],
)
def test_what_would_not_be_valid_is_refused_in_one_line(
    cli: Cli, rows: list[dict[str, Any]], arguments: list[str], says: str
) -> None:
    write(cli.folder / "rows.jsonl", rows)
    done = run(cli, "asr", "rows.jsonl", *arguments, expect=2)
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_versions_that_share_too_little_are_not_compared(cli: Cli) -> None:
    one = write(cli.folder / "a.jsonl", [{"result_id": "x", "task_id": "t", "outcome": "complete"}])
    done = run(cli, "compare", one, one, expect=2)
    assert "these share 1" in done.stderr
    assert "--by result" in done.stderr
