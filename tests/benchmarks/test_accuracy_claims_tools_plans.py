"""The accuracy benchmarks of claims, tool selection and plans: on rows written here, and on the recorded data."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"


def measured(name: str, folder: Path) -> dict[str, Any]:
    """What the benchmark prints: one line."""
    command = [
        sys.executable,
        str(ROOT / "benchmarks" / "accuracy" / f"{name}.py"),
        "--data",
        str(folder),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def rows(folder: Path, *lines: dict[str, Any]) -> Path:
    (folder / "rows.jsonl").write_text(
        "not json\n" + "".join(json.dumps(line) + "\n" for line in lines)
    )
    return folder


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "args": arguments}


def item(category: str, gold: list[Any], calls: Any, *, valid: bool) -> dict[str, Any]:
    return {
        "model": "m",
        "category": category,
        "id": "x",
        "offered": ["math.add", "mail"],
        "gold": gold,
        "calls": calls,
        "official_valid": valid,
    }


def test_tool_calls(tmp_path: Path) -> None:
    add = {"math.add": {"a": [1, 2.5], "b": ["", 3], "names": [["Ann Lee"], ""]}}
    twice = [{"mail": {"to": ["a"]}}, {"mail 1": {"to": ["b"]}}]
    folder = rows(
        tmp_path,
        item("simple", [add], [call("math_add", a=1)], valid=True),
        item(
            "simple",
            [add],
            [call("math_add", a=2.5, b=3, names=["ann lee"])],
            valid=True,
        ),
        item("simple", [add], [call("math_add", a=7)], valid=False),
        item("simple", [add], [call("math_add", a=1, c=1)], valid=False),
        item("simple", [add], [call("math_add", a=1)] * 2, valid=False),
        item("simple", [add], None, valid=False),
        item(
            "parallel", twice, [call("mail", to="b"), call("mail", to="a")], valid=True
        ),
        item("parallel", twice, [call("mail", to="a")] * 2, valid=False),
        item(
            "nested",
            [{"mail": {"to": [{"x": [1, 2], "y": ["", 3]}]}}],
            [call("mail", to={"x": 2})],
            valid=True,
        ),
        item(
            "nested",
            [{"mail": {"to": [{"x": [1, 2], "y": ["", 3]}]}}],
            [call("mail", to={"y": 3})],
            valid=False,
        ),
        item(
            "nested",
            [{"mail": {"to": [[1.0, 2.0]]}}],
            [call("mail", to=[1, 2])],
            valid=False,
        ),
        item("relevance", [], [], valid=True),
        item("relevance", [], [call("mail")], valid=False),
    )
    found = measured("bfcl_tool_selection", folder)
    assert found["items"] == 13
    assert found["agree"] == dict.fromkeys(
        ("simple", "parallel", "nested", "relevance"), 1.0
    )
    assert found["first_pick_accuracy"] == {"m": round(7 / 13, 4)}


def plan(
    init: list[str], goal: list[str], steps: list[str], *, valid: bool
) -> dict[str, Any]:
    return {
        "id": "x",
        "init": init,
        "goal": goal,
        "agent_plan": steps,
        "official_valid": valid,
    }


def test_plans(tmp_path: Path) -> None:
    table = ["clear a", "clear b", "handempty", "ontable a", "ontable b"]
    mystery = ["province a", "province b", "harmony", "planet a", "planet b"]
    cargo = ["at t d", "at p d", "in-city d c", "in-city e c"]
    folder = rows(
        tmp_path,
        plan(table, ["on a b"], ["(pick-up a)", "(stack a b)"], valid=True),
        plan(table, ["on a b"], ["(stack a b)"], valid=False),
        plan(table, ["on a b"], ["(pick-up a)"], valid=False),
        plan(table, ["clear a"], [], valid=True),
        plan(table, ["on a b"], [], valid=False),
        plan(mystery, ["craves a b"], ["(attack a)", "(overcome a b)"], valid=True),
        plan(mystery, ["craves a b"], ["(overcome a b)"], valid=False),
        plan(
            cargo,
            ["at p e"],
            ["(load-truck p t d)", "(drive-truck t d e c)", "(unload-truck p t e)"],
            valid=True,
        ),
        plan(
            cargo,
            ["at p e"],
            ["(drive-truck t d e c)", "(unload-truck p t e)"],
            valid=False,
        ),
        plan(["sunny"], ["x"], [], valid=True),
    )
    assert measured("planbench_plans", folder) == {"plans": 9, "agree": 1.0}


def test_claims(tmp_path: Path) -> None:
    def evidence(text: str, stance: str | None) -> dict[str, Any]:
        return {"text": text, "url": "", "stance": stance}

    folder = rows(
        tmp_path,
        {
            "claim": "The plant employs 900 people.",
            "evidence": [
                evidence("The plant employs 900 people.", "completely-support"),
                evidence("The plant employs 700 people.", "refute"),
                evidence("Cats sleep most of the day and hunt at dusk.", "irrelevant"),
                evidence("The plant hires.", "irrelevant"),
                evidence(
                    "Old cats sleep most of the day and hunt at dusk.",
                    "partially-support",
                ),
                evidence("No label.", None),
            ],
        },
    )
    found = measured("claim_evidence", folder)
    assert (found["pairs"], found["decided"], found["precision"]) == (5, 4, 0.75)


@pytest.mark.data
def test_the_figures_on_the_recorded_data() -> None:
    if not DATA.is_dir():
        pytest.skip(f"{DATA} is not here")
    plans = measured("planbench_plans", DATA / "planbench_plans")
    assert plans["agree"] >= 0.999
    claims = measured("claim_evidence", DATA / "claim_evidence")
    assert claims["decided"] > 0
    assert claims["precision"] >= 0.97
    tools = measured("bfcl_tool_selection", DATA / "bfcl_tool_selection")
    assert (
        min(
            tools["agree"][category]
            for category in ("simple", "multiple_function", "relevance")
        )
        >= 0.99
    )
