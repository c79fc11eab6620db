"""`judgemesh asr` and `judgemesh compare`, through the command's own entry."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli

CLASSES = (
    ["complete"] * 58
    + ["partial+"] * 12
    + ["partial-"] * 8
    + ["hallucinated"] * 4
    + ["abandoned"] * 18
)


def run(
    cli: Cli, *arguments: object, expect: int = 0
) -> subprocess.CompletedProcess[str]:
    done = cli(*map(str, arguments))
    assert done.returncode == expect, done.stderr
    return done


def summary(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def labels(path: Path, classes: Sequence[str | None] = CLASSES, **extra: Any) -> Path:
    return write(
        path,
        [
            {"result_id": f"r{n}", "task_id": f"t{n}", "outcome": one, **extra}
            for n, one in enumerate(classes)
        ],
    )


def test_the_rate_of_a_file(cli: Cli) -> None:
    labels(cli.folder / "week.jsonl", cost=0.15)
    found = summary(run(cli, "asr", "week.jsonl", "--json"))
    assert found["asr"] == pytest.approx(0.628)
    assert (
        found["tasks"],
        found["cost"]["currency"],
        found["cost"]["over_ceiling"],
    ) == (100, "USD", None)
    costly = summary(run(cli, "asr", "week.jsonl", "--ceiling", "0.10", "--json"))
    assert costly["asr"] == pytest.approx(0.58 * 0.5)
    assert costly["cost"]["over_ceiling"] == 1.0
    shown = run(cli, "asr", "week.jsonl").stdout
    assert "ASR 0.628  (95% CI 0.532 to 0.717)" in shown
    assert "hallucinated" in shown


def test_scores_weeks_and_changes(cli: Cli) -> None:
    scores = [
        {"score": 5 - n % 5, "date": f"2026-01-{5 + 7 * (n // 50):02d}"}
        for n in range(150)
    ]
    write(cli.folder / "scores.jsonl", scores)
    weeks = summary(run(cli, "asr", "scores.jsonl", "--weekly", "--json"))["weeks"]
    assert [week["monday"] for week in weeks] == [
        "2026-01-05",
        "2026-01-12",
        "2026-01-19",
    ]
    assert {round(week["rolling_mean"], 6) for week in weeks} == {0.28}
    full = summary(
        run(cli, "asr", "scores.jsonl", "--weekly", "--credit", "partial+=1", "--json")
    )["weeks"]
    assert (round(full[0]["asr"], 6), full[0]["credits"]["partial+"]) == (0.4, 1.0)
    text = run(cli, "asr", "scores.jsonl", "--weekly").stdout
    assert "Week of 2026-01-12: ASR 0.28" in text
    labels(cli.folder / "now.jsonl", ["complete"] * 40 + ["abandoned"] * 60)
    changed = summary(
        run(
            cli,
            "asr",
            "now.jsonl",
            "--before",
            labels(cli.folder / "then.jsonl"),
            "--json",
        )
    )
    assert changed["changes"]["abandoned"]["real"] is True


def test_weeks_with_labels_of_failures_alone_are_not_certain(cli: Cli) -> None:
    graded = [
        {
            "result_id": f"r{n}",
            "task_id": f"t{n}",
            "outcome": "complete" if n % 20 else "partial-",
            "date": "2026-01-05",
        }
        for n in range(200)
    ]
    write(cli.folder / "graded.jsonl", graded)
    said = [
        {"result_id": f"r{n}", "outcome_class": "complete", "labeler": "ann"}
        for n in range(0, 200, 20)
    ]
    write(cli.folder / "said.jsonl", said)
    labelled = ("asr", "graded.jsonl", "--weekly", "--labels", "said.jsonl")
    (week,) = summary(run(cli, *labelled, "--json"))["weeks"]
    assert week["asr"] == 1
    assert week["ci"]["low"] < 0.95
    assert "none of 190 graded complete" in run(cli, *labelled).stdout


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
    assert "exit 1: the rate changed by -0.300" in worse.stderr
    run(cli, "compare", good, bad)
    same = summary(run(cli, "compare", good, good, "--json"))
    assert same["ci"]["low"] < 0 == same["delta"] < same["minimum_detectable"] < 0.1


def graded(cli: Cli, many: int = 60) -> None:
    """Two families; every third result of the first lacks its field and fails."""
    (cli.folder / "c.yaml").write_text(
        "\n---\n".join(
            f"task_id: {name}\nfamily: {name}s\nsuccess_criteria: {{must_include: [total]}}\nbudget: {{ceiling: 0.10}}"
            for name in ("order", "refund")
        )
    )
    rows = [
        {
            "result_id": f"r{n}",
            "task_id": "refund" if n % 2 else "order",
            "output": "Total: 3" if n % 6 else "No.",
            "cost": 0.05,
        }
        for n in range(many)
    ]
    write(cli.folder / "results.jsonl", rows)
    run(cli, "grade", "results.jsonl", "-c", "c.yaml", "-q", expect=1)


def test_families_and_credits(cli: Cli) -> None:
    graded(cli)
    found = summary(run(cli, "asr", "-c", "c.yaml", "--json"))
    assert list(found["families"]) == ["orders", "refunds"]
    assert found["families"]["orders"]["asr"] == pytest.approx(20 / 30)
    assert found["families"]["refunds"]["asr"] == 1
    assert (found["labels"]["labelled"], found["correction"]) == (0, None)
    shown = run(cli, "asr", "-c", "c.yaml").stdout
    assert "orders" in shown
    assert "refunds" in shown
    labels(cli.folder / "halves.jsonl", ["partial+"] * 4, family="x")
    halves = summary(
        run(
            cli,
            "asr",
            "halves.jsonl",
            "--credit",
            "partial+=0.5,partial_minus=0.1",
            "--json",
        )
    )
    assert (halves["asr"], halves["credits"]["partial-"], list(halves["families"])) == (
        0.5,
        0.1,
        ["x"],
    )


def test_people_override_and_correct_what_was_graded(cli: Cli) -> None:
    graded(cli)
    before = summary(run(cli, "asr", "--json"))["asr"]
    # Ann looks at a random half and finds four of those that passed wanting.
    drawn = [n for n in range(60) if n % 4 < 2]
    wrong = {1, 5, 9, 13}
    rows = [
        {
            "result_id": f"r{n}",
            "outcome_class": "partial-" if n in wrong or n % 6 == 0 else "complete",
            "drawn": "at_random",
        }
        for n in drawn
    ]
    write(cli.folder / "ann.jsonl", rows)
    assert cli("label", "import", "ann.jsonl", "--labeler", "ann").returncode == 0
    found = summary(run(cli, "asr", "--json"))
    assert found["labels"] == {
        "labelled": 30, "changed": 4, "decided": 0, "people_disagree": 0, "labelers": ["ann"]
    }  # fmt: skip
    assert found["asr"] == pytest.approx(before - 4 / 60)
    correction = found["correction"]
    assert (
        correction["drawn"],
        correction["drawn_noted_by"],
        correction["labels"],
    ) == ("at_random", "labels", 30)
    # 25 of the drawn were graded complete, of which 4 are not; 5 partial-, all rightly.
    assert correction["rate"] == pytest.approx(50 / 60 * 21 / 25)
    assert correction["ci"]["low"] < correction["rate"] < correction["ci"]["high"]
    assert correction["graded_then_labelled"]["complete"]["partial-"] == 4
    shown = " ".join(run(cli, "asr").stdout.split())
    assert "30 results: 4 changed the class" in shown
    assert "corrected by labels 0.700" in shown
    alone = summary(run(cli, "asr", "--no-labels", "--json"))
    assert (alone["asr"], alone["correction"]) == (pytest.approx(before), None)


def test_repeats_of_a_task_are_not_independent(cli: Cli) -> None:
    rows = [
        {"task_id": f"t{n % 20}", "outcome": "complete" if n % 20 < 12 else "abandoned"}
        for n in range(200)
    ]
    write(cli.folder / "rows.jsonl", rows)
    widths = {}
    for by in ("task", "result", None):
        found = summary(
            run(cli, "asr", "rows.jsonl", "--json", *(["--by", by] if by else []))
        )
        widths[by] = found["ci"]["high"] - found["ci"]["low"]
        assert found["interval_units"] == ("results" if by == "result" else "tasks")
    assert widths[None] == widths["task"] > 2.5 * widths["result"]
    trials = summary(run(cli, "asr", "rows.jsonl", "--passes", "4", "--json"))["passes"]
    assert (
        trials["tasks"],
        trials["pass_at_k"]["rate"],
        trials["pass_hat_k"]["rate"],
    ) == (20, 0.6, 0.6)
    assert "pass^4  " in run(cli, "asr", "rows.jsonl", "--passes", "4").stdout
    assert (
        "needs 11 runs of every task"
        in run(cli, "asr", "rows.jsonl", "--passes", "11", expect=2).stderr
    )
    few = [
        {"task_id": f"t{n % 3}", "outcome": "complete" if n % 2 else "abandoned"}
        for n in range(60)
    ]
    write(cli.folder / "few.jsonl", few)
    assert summary(run(cli, "asr", "few.jsonl", "--json"))["interval_units"] == "tasks"


def test_people_who_disagree_and_labels_of_a_file(cli: Cli) -> None:
    labels(cli.folder / "rows.jsonl", ["complete", "complete", "partial-", None])
    said = [
        ("r0", "ann", "abandoned"), ("r0", "ben", "complete"),  # no majority: the grade stays
        ("r1", "ann", "complete"), ("r1", "ann", "hallucinated"),  # her last word
        ("r3", "ben", "complete"),
    ]  # fmt: skip
    write(
        cli.folder / "people.jsonl",
        [
            {"result_id": r, "labeler": who, "outcome_class": one}
            for r, who, one in said
        ],
    )
    found = summary(run(cli, "asr", "rows.jsonl", "--labels", "people.jsonl", "--json"))
    assert (found["labels"]["labelled"], found["labels"]["changed"]) == (2, 1)
    assert (found["labels"]["decided"], found["labels"]["people_disagree"]) == (1, 1)
    assert found["outcome_classes"]["hallucinated"] == 1
    assert found["decided"] == 4
    assert found["correction"] == {
        "rate": None,
        "why_not": "nobody noted how the labelled results were chosen",
    }
    everything = summary(
        run(cli, "asr", "rows.jsonl", "--labels", "rows.jsonl", "--json")
    )
    assert (everything["labels"]["labelled"], everything["correction"]) == (3, None)


def test_a_correction_that_would_not_be_valid_is_refused(cli: Cli) -> None:
    labels(cli.folder / "rows.jsonl", ["complete"] * 20 + ["partial+"] * 5)
    labels(cli.folder / "some.jsonl", ["complete"] * 10, labeler="ann")
    some = ("asr", "rows.jsonl", "--labels", "some.jsonl", "--correct")
    assert "nobody noted how" in run(cli, *some, expect=2).stderr
    assert "--drawn at_random" in run(cli, *some, expect=2).stderr
    few = run(cli, *some, "--drawn", "at_random", expect=2).stderr
    assert "5 tasks were judged partial+ and 0 of them are labelled" in few
    assert "drawn at random cannot" not in few
    assert (
        "were not drawn at random cannot correct"
        in run(cli, *some, "--drawn", "chosen", expect=2).stderr
    )
    assert (
        "labels of this very run"
        in run(cli, *some, "--drawn", "another_run", expect=2).stderr
    )
    write(cli.folder / "answers.jsonl", [{"result_id": "r0", "label": "yes"}])
    assert (
        "r0: 'yes' is no outcome class"
        in run(cli, "asr", "rows.jsonl", "--labels", "answers.jsonl", expect=2).stderr
    )
    assert (
        "no result has a label"
        in run(cli, "asr", "rows.jsonl", "--correct", expect=2).stderr
    )


def test_labels_of_one_run_count_in_another_only_for_the_same_result(cli: Cli) -> None:
    contract = "task_id: t\nsuccess_criteria: {must_include: [total]}\n"
    run_id = ""
    for name, version, second in (("a", 1, "Total: 3"), ("b", 2, "Total: 4")):
        (cli.folder / "c.yaml").write_text(f"{contract}version: '{version}'\n")
        outputs = ("Total: 3", second)
        write(
            cli.folder / f"{name}.jsonl",
            [
                {"result_id": f"r{n}", "task_id": "t", "output": one}
                for n, one in enumerate(outputs)
            ],
        )
        run(cli, "grade", f"{name}.jsonl", "-c", "c.yaml", "-q")
        run_id = run_id or summary(run(cli, "report", "--json"))["run_id"]
    write(
        cli.folder / "l.jsonl",
        [
            {
                "result_id": f"r{n}",
                "run_id": run_id,
                "outcome_class": "hallucinated",
                "labeler": "ann",
            }
            for n in range(2)
        ],
    )
    assert cli("label", "import", "l.jsonl").returncode == 0
    assert summary(run(cli, "asr", "--run", run_id, "--json"))["labels"]["changed"] == 2
    assert summary(run(cli, "asr", "--json"))["labels"]["changed"] == 1
    weeks = summary(run(cli, "asr", "--weekly", "--json"))["weeks"]
    assert [week["tasks"] for week in weeks] == [2]
    assert weeks[0]["asr"] == 0.5
    changed = summary(run(cli, "asr", "--before", run_id, "--json"))["changes"]
    assert changed["hallucinated"]["before"] == 1


WRONG: list[tuple[list[dict[str, Any]], list[str], str]] = [
    (
        [{"outcome": "complete"}],
        ["--credit", "complete=2"],
        "complete: expected a number from 0 to 1",
    ),
    (
        [{"outcome": "complete"}],
        ["--credit", "complet=1"],
        "--credit: 'complet' is no outcome class",
    ),
    (
        [{"outcome": "complete"}],
        ["--credit", "complete=nan"],
        "expected a number from 0 to 1",
    ),
    (
        [{"outcome": "complete"}],
        ["--no-labels", "--correct"],
        "cannot be combined with --no-labels",
    ),
    (
        [{"outcome": "complete"}],
        ["--no-labels", "--labels", "x.jsonl"],
        "--labels or --no-labels, not both",
    ),
    ([{"outcome": "complete"}], ["--labels", "x.jsonl"], "x.jsonl: cannot be read"),
    (
        [{"outcome": "complete"}],
        ["--weekly", "--correct"],
        "--correct: has no effect with a FILE and --weekly",
    ),
    ([{"outcome": "complete"}], ["--before", "y.jsonl"], "y.jsonl: no such file"),
    (
        [{"outcome": "complete", "cost": 1e300}],
        [],
        "rows.jsonl:1: cost: expected an amount from 0 to",
    ),
    (
        [{"outcome": "complete", "cost": 1, "ceiling": 0}],
        [],
        "rows.jsonl:1: ceiling: must be above 0",
    ),
    (
        [{"outcome": "complete", "family": 3}],
        [],
        "rows.jsonl:1: family: expected text, got 3",
    ),
    ([{"outcome": "complete"}], ["--ceiling", "nan"], "a cost ceiling must be above 0"),
    ([{"outcome": "good"}], [], "rows.jsonl:1: outcome: expected complete, partial+"),
    (
        [{"outcome": ["complete"]}],
        [],
        "rows.jsonl:1: outcome: expected complete, partial+",
    ),
    (
        [{"outcome": "complete", "gate": {}}],
        [],
        "rows.jsonl:1: gate: expected pass, fail or undecided",
    ),
    ([{"score": [5]}], [], "rows.jsonl:1: score: expected 1, 2, 3, 4 or 5, got [5]"),
    ([{"score": 6}], [], "rows.jsonl:1: score: expected 1, 2, 3, 4 or 5, got 6"),
    ([{"task_id": "t"}], [], "rows.jsonl:1: expected `outcome`"),
    (
        [{"outcome": "complete", "cost": -1}],
        [],
        "rows.jsonl:1: cost: expected an amount from 0 to",
    ),
    ([{"outcome": None}], [], "no task is decided, so there is no rate"),
    ([], [], "rows.jsonl: holds no rows"),
    (
        [{"outcome": "complete"}],
        ["--weekly"],
        "--weekly needs a `date` on every row; 1 have none",
    ),
    ([{"outcome": "complete"}], ["--ceiling", "0"], "a cost ceiling must be above 0"),
    (
        [
            {"outcome": "complete", "cost": {"amount": 1, "currency": c}}
            for c in ("EUR", "USD")
        ],
        [],
        "several currencies: EUR, USD",
    ),
]


@pytest.mark.parametrize(("rows", "arguments", "says"), WRONG)
def test_what_would_not_be_valid_is_refused_in_one_line(
    cli: Cli, rows: list[dict[str, Any]], arguments: list[str], says: str
) -> None:
    write(cli.folder / "rows.jsonl", rows)
    done = run(cli, "asr", "rows.jsonl", *arguments, expect=2)
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_versions_that_share_too_little_are_not_compared(cli: Cli) -> None:
    one = write(
        cli.folder / "a.jsonl",
        [{"result_id": "x", "task_id": "t", "outcome": "complete"}],
    )
    done = run(cli, "compare", one, one, expect=2)
    assert "these share 1" in done.stderr
    assert "--by result" in done.stderr
    done = run(cli, "compare", one, one, "--by", "result", expect=2)
    assert "on the results they share; these share 1" in done.stderr
    assert "--by task" in done.stderr
