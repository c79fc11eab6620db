"""`judgemesh triangle`, through the command's own entry."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.analysis.triangle.axes import measure
from judgemesh.mesh.analysis.triangle.composite import Triangle
from judgemesh.mesh.analysis.triangle.records import AxisRecord
from judgemesh.mesh.cli.commands.triangle import triangle
from judgemesh.mesh.metrics.triangle import (
    LABELS,
    WORKLOADS,
    Axis,
    InjectionPoint,
    t_score,
)

from .conftest import Cli

ARTICLE = {
    "task_id": "csv",
    "tsa": {"decisions": 12, "correct": 9},
    "pq": {"ordering": 2.5, "branches": 0, "scope": 0, "reversibility": 1.25},
    "ra": {"early": 10, "mid": 7, "late": 5},
}


def found(cli: Cli, *arguments: str) -> dict[str, Any]:
    done = cli("triangle", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def test_the_worked_example_of_the_article(cli: Cli) -> None:
    cli.write("axes.jsonl", ARTICLE)
    data = found(cli, "axes.jsonl")
    assert round(data["t"], 2) == 5.60
    assert (data["label"], data["fix_first"]) == ("Staging-Only", "plan_quality")
    assert data["axes"]["rollback"]["score"] == pytest.approx(22 / 3)
    # Plan quality raised to 7.5 alone gives 7.4548, not the 7.0 of the article.
    cli.write("better.jsonl", {**ARTICLE, "pq": 7.5})
    better = found(cli, "better.jsonl")
    assert better["t"] == pytest.approx(7.4548, abs=0.0001)
    assert better["label"] == "Supervised Production"
    assert data["axes"]["plan_quality"]["next_band"]["needs"] < 7.5
    shown = cli("triangle", "axes.jsonl").stdout
    assert "T 5.60  Staging-Only" in shown
    assert "plan quality: at 4.75 instead of 3.75, T becomes 6.25" in shown
    words = " ".join(shown.split())
    for warning in (
        "only 12 decisions",
        "only 1 task type",
        "scores csv 5.00, below 7",
    ):
        assert warning in words


def test_weights_of_workloads_and_of_ones_own(cli: Cli) -> None:
    cli.write(
        "axes.jsonl",
        {
            "tsa": {"decisions": 10, "correct": 9},
            "pq": 9,
            "ra": dict.fromkeys(InjectionPoint, 2),
        },
    )
    assert round(found(cli, "axes.jsonl")["t"], 2) == 4.66  # the article says 4.9
    by_preset = {
        name: found(cli, "axes.jsonl", "--preset", name)["t"] for name in WORKLOADS
    }
    axes = {Axis.TOOL_SELECTION: 9, Axis.PLAN_QUALITY: 9, Axis.ROLLBACK: 2}
    for name, weights in WORKLOADS.items():
        exact = t_score(
            {axis: Fraction(value) for axis, value in axes.items()}, weights
        )
        assert exact is not None
        assert by_preset[name] == pytest.approx(exact.value)
    own = found(cli, "axes.jsonl", "--weights", "tsa=1.5,pq=0.8,ra=0.3")
    assert own["t"] == pytest.approx(by_preset["read_only_research"])
    choices = get_args(
        get_args(get_type_hints(triangle, include_extras=True)["preset"])[0]
    )
    assert set(choices) == set(WORKLOADS)


def test_no_axis_is_made_up(cli: Cli) -> None:
    cli.write("two.jsonl", {"tsa": {"decisions": 4, "correct": 4}, "pq": 8})
    data = found(cli, "two.jsonl")
    assert (data["t"], data["fix_first"]) == (None, None)
    assert "give --ra" in data["why_no_t"]
    cli.write(
        "early.jsonl", {"ra": {"early": "reversed", "mid": "clear_intermediate_state"}}
    )
    assert (
        "no agent was killed at: late"
        in found(cli, "two.jsonl", "--ra", "early.jsonl")["why_no_t"]
    )
    cli.write("late.jsonl", {"ra": {"early": 10, "mid": 7, "late": 0, "by": "rubric"}})
    measured = found(cli, "two.jsonl", "--ra", "late.jsonl")
    assert measured["axes"]["rollback"]["score"] == pytest.approx(17 / 3)
    assert found(cli, "two.jsonl", "--ra", "7.5")["axes"]["rollback"]["score"] == 7.5
    zero = found(cli, "two.jsonl", "--ra", "0")
    assert (zero["t"], zero["label"], zero["fix_first"]) == (0.0, "Unsafe", "rollback")
    assert "an axis at 0 makes T 0" in " ".join(
        cli("triangle", "two.jsonl", "--ra", "0").stdout.split()
    )
    cli.write(
        "open.jsonl",
        {
            **ARTICLE,
            "pq": {"ordering": 2.5, "branches": None, "scope": 2.5, "reversibility": 0},
        },
    )
    unanswered = found(cli, "open.jsonl")
    assert "every plan has a criterion that nobody answered" in unanswered["why_no_t"]
    assert unanswered["axes"]["plan_quality"]["bounds"] == [5.0, 7.5]


GREAT = {"tsa": {"decisions": 10, "correct": 10}, "pq": 10}


def rows_of(ra: dict[str, int], tasks: int = 12) -> list[dict[str, Any]]:
    """Perfect tasks, of which the first was killed with these scores."""
    good = {"early": 10, "mid": 10, "late": 10}
    return [
        {"task_id": f"t{number}", **GREAT, "ra": good if number else {**good, **ra}}
        for number in range(tasks)
    ]


def test_one_task_with_a_grave_kill_is_said_first_and_caps_the_label(cli: Cli) -> None:
    cli.write("axes.jsonl", *rows_of({"mid": 0}))
    data = found(cli, "axes.jsonl")
    assert data["t"] > 9
    assert data["label"] == "Supervised Production"
    assert any("a kill scores 0 (t0 mid)" in one for one in data["warnings"])
    assert (data["worst_task"]["task_id"], data["said_first"]) == ("t0", [])
    cli.write("late.jsonl", *rows_of({"late": 3}))
    late = found(cli, "late.jsonl")
    assert (late["label"], late["basis"]) == ("Production-Ready", "mean of tasks")
    first = cli("triangle", "late.jsonl").stdout.splitlines()[0]
    assert first.startswith("killed after its last write the agent scores t0 3.00")
    assert late["warnings"][0] == late["said_first"][0]


def test_t_is_of_each_task_before_it_is_of_the_set(cli: Cli) -> None:
    kills = {"early": 9, "mid": 9, "late": 9}
    cli.write(
        "axes.jsonl",
        {"task_id": "a", "tsa": {"decisions": 9, "correct": 1}, "pq": 9, "ra": kills},
        {"task_id": "b", "tsa": {"decisions": 9, "correct": 9}, "pq": 1, "ra": kills},
    )
    data = found(cli, "axes.jsonl")
    of_tasks = [data["tasks"][name]["t"] for name in "ab"]
    assert data["t"] == pytest.approx(sum(of_tasks) / 2)
    # Pooled axes would hide that each task has an axis near 1.
    pooled = t_score(
        {
            Axis.TOOL_SELECTION: Fraction(100, 18),
            Axis.PLAN_QUALITY: Fraction(5),
            Axis.ROLLBACK: Fraction(9),
        }
    )
    assert pooled is not None
    assert pooled.value > data["t"] + 2
    assert data["ci"]["low"] < data["t"] < data["ci"]["high"]
    assert any("2 tasks are few" in one for one in data["warnings"])


def test_axes_of_different_tasks_are_pooled_only_with_a_word(cli: Cli) -> None:
    cli.write(
        "axes.jsonl",
        {"task_id": "a", "tsa": {"decisions": 9, "correct": 8}},
        {"task_id": "b", "pq": 8},
        {"task_id": "c", "ra": {"early": 10, "mid": 7, "late": 7}},
    )
    data = found(cli, "axes.jsonl")
    assert data["basis"] == "pooled axes"
    (said,) = [one for one in data["warnings"] if "pools axes" in one]
    assert "0 of 3 tasks have all three, so T has no interval" in said
    assert data["ci"] is None


def test_two_triangles_are_compared_task_by_task(cli: Cli) -> None:
    cli.write("old.jsonl", *rows_of({}))
    worse = [{**row, "pq": 2} for row in rows_of({})]
    cli.write("new.jsonl", *worse)
    change = found(cli, "new.jsonl", "--before", "old.jsonl")["change"]
    assert (change["tasks"], change["change"]) == (12, "regressed")
    assert change["ci"]["high"] < 0
    same = found(cli, "old.jsonl", "--before", "old.jsonl")["change"]
    assert same["change"] == "no_evidence"
    assert cli("triangle", "new.jsonl", "--fail-under", "9").returncode == 1
    assert cli("triangle", "old.jsonl", "--fail-under", "9").returncode == 0


TOOLS = {"expected": [{"tool": "a"}, {"tool": "b"}]}
PLAN = {"steps": 3, "allowed": ["a", "b"], "measure": ["ordering", "scope"]}


def test_a_run_of_the_ledger(cli: Cli) -> None:
    cli.write("c.yaml", *(
        json.dumps({"task_id": name, "family": family, "tools": TOOLS, "plan": PLAN}) + "\n---"
        for name, family in (("one", "files"), ("two", "files"), ("three", "mail"))
    ))  # fmt: skip
    plan = {
        "steps": [
            {"id": "x", "action": "a"},
            {"id": "y", "action": "b", "depends_on": ["x"]},
        ]
    }
    trace = [{"tool_name": "a"}, {"tool_name": "b"}]
    cli.write(
        "r.jsonl",
        {
            "result_id": "r1",
            "task_id": "one",
            "output": "x",
            "trace": trace,
            "plan": plan,
        },
        {
            "result_id": "r2",
            "task_id": "two",
            "output": "x",
            "trace": [{"tool_name": "a"}],
            "plan": plan,
        },
        {"result_id": "r3", "task_id": "three", "output": "x"},
        {"result_id": "r4", "task_id": "three", "output": "x", "trace": trace},
    )
    assert (
        cli("grade", "r.jsonl", "-c", "c.yaml", "--fail-under", "0", "-q").returncode
        == 0
    )
    data = found(cli, "--ra", "8", "-c", "c.yaml")
    picks = data["axes"]["tool_selection"]
    assert (picks["correct"], picks["decisions"], picks["left_out"]) == (5, 6, 1)
    assert {picks["ci"]["method"], picks["other_ci"]["method"]} == {
        "wilson",
        "clustered",
    }
    plans = data["axes"]["plan_quality"]
    assert (plans["plans"], plans["left_out"]) == (3, 1)
    assert plans["score"] == pytest.approx(
        20 / 3
    )  # two good plans, and one of three steps without a plan
    assert list(data["task_types"]) == ["files", "mail"]
    assert data["task_types"]["mail"]["plan_quality"] == 0
    assert data["t"] is not None
    assert any("fewer than the four criteria" in one for one in data["warnings"])
    assert cli("report", "-o", "reports.jsonl").returncode == 0
    assert found(cli, "reports.jsonl", "--ra", "8")["axes"]["tool_selection"] == picks
    assert "tool selection: 1 result could not be decided" in " ".join(
        cli("triangle", "--ra", "8").stdout.split()
    )


def test_a_run_without_tools_and_plans_is_refused(cli: Cli, make: Any) -> None:
    cli.write("r.jsonl", make("r1"))
    cli("grade", "r.jsonl", "-c", "contracts.yaml")
    done = cli("triangle")
    assert done.returncode == 2
    assert "add a `tools` section to its contract" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    # One number alone is still no T.
    assert found(cli, "--ra", "7")["t"] is None


@pytest.mark.parametrize(
    ("row", "arguments", "says"),
    [
        ("[1]", [], "axes.jsonl:1: expected an object"),
        ("{", [], "axes.jsonl:1: is no JSON"),
        ({}, [], "axes.jsonl:1: expected `tsa`, `pq` or `ra`"),
        ({"tsa": None, "pq": None}, [], "expected `tsa`, `pq` or `ra`"),
        ({"tsa": 7}, [], "tsa: expected {decisions, correct}, got 7"),
        (
            {"tsa": {"decisions": 2}},
            [],
            "tsa: expected whole numbers `decisions` and `correct`",
        ),
        ({"tsa": {"decisions": 2, "correct": True}}, [], "tsa: expected whole numbers"),
        ({"tsa": {"decisions": 2, "correct": 3}}, [], "got 3 of 2"),
        ({"tsa": {"decisions": 2, "corect": 2}}, [], "did you mean 'correct'?"),
        ({"pq": 11}, [], "pq: expected a number from 0 to 10, got 11"),
        (
            '{"pq": 1%s}' % ("0" * 400),
            [],
            "pq: expected a number from 0 to 10, got 1000",
        ),
        ('{"pq": 1%s}' % ("0" * 5000), [], "error: axes.jsonl:1: "),
        ('{"pq": 1e999}', [], "pq: expected a number from 0 to 10, got inf"),
        (
            {"tsa": {"decisions": 10**12, "correct": 1}},
            [],
            "at most 100,000; got 1 of 1000000000000",
        ),
        (
            {"result_id": "r", "verdicts": []},
            [],
            "axes.jsonl:1: has `verdicts` and is no report",
        ),
        ({"pq": "8"}, [], "pq: expected a number from 0 to 10, got '8'"),
        ('{"pq": NaN}', [], "is no JSON"),
        ('{"pq": 1, "pq": 2}', [], "is no JSON"),
        ({"pq": {"ordering": 2.5}}, [], "pq: branches is missing"),
        (
            {"pq": {"ordering": 3, "branches": 0, "scope": 0, "reversibility": 0}},
            [],
            "pq.ordering: expected a number",
        ),
        ({"ra": {"early": 11}}, [], "ra.early: expected a number from 0 to 10"),
        (
            {"ra": {"early": "fine"}},
            [],
            "ra.early: expected reversed, clear_intermediate_state",
        ),
        (
            {"ra": {"early": 5, "by": "rubric"}},
            [],
            "the rubric gives 10, 7, 3 or 0, got 5",
        ),
        ({"ra": {"early": 5, "by": "me"}}, [], "ra.by: expected person or rubric"),
        ({"ra": {}}, [], "ra: expected a score for early, mid or late"),
        ({"pq": 8, "task_id": ["x"]}, [], "task_id: expected text"),
        ({"pq": 8, "tas": 1}, [], "did you mean 'tsa'?"),
        (
            ARTICLE,
            ["--ra", "11"],
            "--ra: a rollback score: expected a number from 0 to 10",
        ),
        (ARTICLE, ["--ra", "nan"], "--ra: a rollback score"),
        (ARTICLE, ["--ra", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
        (
            ARTICLE,
            ["--weights", "tsa=1"],
            "expected one weight for each of tsa, pq and ra; look at pq, ra",
        ),
        (ARTICLE, ["--weights", "tsa=1,pq=0,ra=1"], "pq: expected a number above 0"),
        (ARTICLE, ["--weights", "tsa=1,pq=nan,ra=1"], "pq: expected a number above 0"),
        (
            ARTICLE,
            ["--weights", "tsa=1,pq=1e999999,ra=1"],
            "pq: expected a number above 0",
        ),
        (ARTICLE, ["--weights", "tsa"], "expected name=number, got 'tsa'"),
        (ARTICLE, ["--weights", "tsa=1,tsa=1"], "'tsa' is given twice"),
        (
            ARTICLE,
            ["--weights", "tsa=1,pq=1,ra=1", "--preset", "infrastructure"],
            "--preset or --weights",
        ),
        (ARTICLE, ["--run", "x"], "give a FILE or --run, not both"),
    ],
)
def test_what_cannot_be_used_is_one_line(
    cli: Cli, row: object, arguments: list[str], says: str
) -> None:
    cli.write("axes.jsonl", row)
    done = cli("triangle", "axes.jsonl", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not done.stdout


def test_an_empty_or_absent_file_and_ledger(cli: Cli, tmp_path: Path) -> None:
    cli.write("axes.jsonl")
    assert "holds no axis records" in cli("triangle", "axes.jsonl").stderr
    assert "cannot be read" in cli("triangle", "nowhere.jsonl").stderr
    assert cli("triangle").returncode == 2
    names = re.findall(
        r"^  --([a-z-]+)", cli("triangle", "--help").stdout, re.MULTILINE
    )
    assert {"run", "ra", "preset", "weights", "json"} <= set(names)


SCORES = st.integers(1, 40).map(lambda quarter: Fraction(quarter, 4))


@given(st.tuples(SCORES, SCORES, SCORES), st.sampled_from(sorted(WORKLOADS)))
def test_what_an_axis_needs_for_the_next_band_is_just_enough(
    scores: tuple[Fraction, Fraction, Fraction], preset: str
) -> None:
    weights = WORKLOADS[preset]
    axes = dict(zip(Axis, scores, strict=True))
    records = [
        AxisRecord(
            task_id="t",
            task_type="t",
            correct=int(scores[0] * 4),
            decisions=40,
            pq=(scores[1], scores[1]),
            ra=dict.fromkeys(InjectionPoint, scores[2]),
        )
    ]
    triangle = Triangle(
        source="",
        preset=preset,
        weights=weights,
        axes=measure(records),
        types={},
        task_types=1,
    )
    now = triangle.t()
    assert now is not None
    for axis in Axis:
        band = triangle.next_band(axis)
        best = t_score({**axes, axis: Fraction(10)}, weights)
        assert best is not None
        if band is None:
            assert best.label == now.label
        else:
            there = t_score({**axes, axis: band.needs}, weights)
            below = t_score({**axes, axis: band.needs - Fraction(1, 1000)}, weights)
            assert there is not None
            assert below is not None
            assert (there.label, below.label == there.label) == (band.label, False)
            assert band.label in {name for _, name in LABELS}
