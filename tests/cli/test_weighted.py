"""`judgemesh weighted`, through the command's own entry."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest

from judgemesh.contracts.gateway import ModelCall
from judgemesh.mesh import Mesh
from judgemesh.mesh.testing import ScriptedJudge

from .conftest import Cli

NUMBERS = Path(__file__).resolve().parents[2] / "examples" / "numbers"
CONTRACT = """
task_id: meeting
success_criteria: {must_include: [time]}
fields: {time: {find_by: [label]}}
criteria:
  - {id: right_people, question: Are the right people invited?, metric: completion, weight: 0.35}
  - {id: explains, question: Is the outcome explained?, metric: completion, weight: 0.25}
scoring:
  weighted:
    completion:
      checks: [{id: has_time, validator: required_fields, weight: 0.4}]
      hard_failure_if: [right_people]
"""


def found(cli: Cli, *arguments: str) -> dict[str, Any]:
    done = cli("weighted", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    scores: list[dict[str, Any]] = json.loads(done.stdout)["scores"]
    assert len(scores) == 1
    return scores[0]


def line(call: ModelCall) -> str:
    """Wrong people in every fifth meeting; nobody can tell whether the seventh is explained."""
    text = call.messages[-1]["content"]
    number = int(text.partition("Meeting ")[2].partition(".")[0])
    if "right people" in text:
        return "no" if number % 5 == 0 else "yes"
    return "cannot_assess" if number == 7 else "yes"


async def grade(folder: Path) -> None:
    judge = ScriptedJudge(line)
    async with Mesh.from_config(
        contracts=folder / "c.yaml", judge=judge, ledger=folder / ".judgemesh/ledger.db"
    ) as mesh:
        for number in range(1, 13):
            time = "Time: 9:30" if number % 4 else ""
            await mesh.grade(
                {
                    "result_id": f"r{number}",
                    "task_id": "meeting",
                    "output": f"Meeting {number}.\n{time}",
                }
            )


def test_a_graded_run(cli: Cli) -> None:
    (cli.folder / "c.yaml").write_text(CONTRACT)
    anyio.run(lambda: grade(cli.folder))
    data = found(cli)
    assert (data["name"], data["results"], data["exact_scores"]) == (
        "completion",
        12,
        11,
    )
    # 8 whole, of the seventh .75 or 1; two with the wrong people (.65), three without a time (.6).
    assert data["tcr_low"] == pytest.approx((6 + 0.75 + 2 * 0.65 + 3 * 0.6) / 12)
    assert data["tcr_high"] == pytest.approx(data["tcr_low"] + 0.25 / 12)
    assert data["outcomes"] == {
        "successful_completion": 7,
        "graceful_failure": 3,
        "partial_failure": 0,
        "hard_failure": 2,
    }
    rates = {one["id"]: one for one in data["criteria"]}
    assert [one["id"] for one in data["criteria"]] == [
        "has_time",
        "right_people",
        "explains",
    ]
    assert (rates["has_time"]["held"], rates["explains"]["undecided"]) == (9, 1)
    assert any("explains is always true" in one for one in data["warnings"])
    shown = cli("weighted", "--score", "completion").stdout
    assert "completion  TCR 0.821 to 0.842" in shown
    assert (
        "0.75 to 1 of 1, successful_completion; undecided: explains"
        in cli("report", "r7").stdout
    )
    report = json.loads(cli("report", "r4", "--json").stdout)
    assert report["weighted_scores"][0]["low"] == "0.6"
    assert report["other_scores"] == {"completion": 6.0}
    assert cli("report", "-o", "reports.jsonl").returncode == 0
    assert found(cli, "reports.jsonl")["tcr_exact"] == data["tcr_exact"]
    assert (
        "did you mean 'completion'?" in cli("weighted", "--score", "compltion").stderr
    )
    assert (
        "--preset: has no effect with a run"
        in cli("weighted", "--preset", "clarity").stderr
    )


def test_answers_of_a_file(cli: Cli) -> None:
    shutil.copy(NUMBERS / "answers.jsonl", cli.folder)
    data = found(
        cli,
        "answers.jsonl",
        "--preset",
        "completion",
        "--hard-failure-if",
        "correct_participants",
    )
    assert (data["results"], data["exact_scores"], data["undecided"]) == (30, 28, 0)
    assert data["tcr"] is None
    assert data["ci"]["low"] < data["tcr_low"] < data["tcr_high"] < data["ci"]["high"]
    # The mean lies in a band, its interval does not.
    assert (data["band"], data["band_of_mean"]) == (None, "production ready")
    cli.write(
        "two.jsonl",
        {"result_id": "a", "answers": {"x": True, "y": True}, "goal_confirmed": True},
        {"result_id": "b", "answers": {"x": True, "y": False}},
    )
    scaled = found(cli, "two.jsonl", "--weights", "x=3,y=1", "--normalise")
    assert (scaled["tcr"], scaled["weights_scaled"], scaled["undecided"]) == (
        0.875,
        True,
        1,
    )
    cli.write("one.jsonl", {"answers": {"x": True, "y": None}, "task_id": "t"})
    assert found(cli, "one.jsonl", "--weights", "x=.5,y=.5")["ci"] is None
    hard = found(cli, "two.jsonl", "--weights", "x=.5,y=.5", "--hard-failure-if", "y")
    assert hard["outcomes"]["hard_failure"] == 1


PRESET = ["--weights", "x=1"]


@pytest.mark.parametrize(
    ("row", "arguments", "says"),
    [
        ("[]", PRESET, "a.jsonl:1: expected an object"),
        (
            {"answers": None},
            PRESET,
            "a.jsonl:1: answers: expected an object of true, false and null",
        ),
        (
            {"answers": {"x": "yes"}},
            PRESET,
            "a.jsonl:1: x: expected true, false or null, got 'yes'",
        ),
        ({"answers": {"x": 1}}, PRESET, "x: expected true, false or null, got 1"),
        ({"answers": {}}, PRESET, "answers: x is missing; write null"),
        ({"answers": {"x": True, "y": True}}, PRESET, "unknown key 'y'"),
        ({"answers": {"x": True}, "goal": True}, PRESET, "unknown key 'goal'"),
        (
            {"answers": {"x": True}, "failed_state": "no"},
            PRESET,
            "failed_state: expected true, false or null",
        ),
        (
            {"answers": {"x": True}},
            [],
            "answers need weights: give either --preset or --weights",
        ),
        (
            {"answers": {"x": True}},
            [*PRESET, "--preset", "clarity"],
            "give either --preset or --weights",
        ),
        (
            {"answers": {"x": True}},
            ["--weights", "x=.5,y=.4"],
            "these sum to 0.9; give --normalise",
        ),
        (
            {"answers": {"x": True}},
            ["--weights", "x=-1"],
            "x: expected a number above 0",
        ),
        (
            {"answers": {"x": True}},
            ["--weights", "x=inf"],
            "x: expected a number above 0",
        ),
        (
            {"answers": {"x": True}},
            [*PRESET, "--hard-failure-if", "z"],
            "no criterion is called 'z'",
        ),
        (
            {"answers": {"x": True}},
            [*PRESET, "--run", "r"],
            "give a FILE or --run, not both",
        ),
        (
            {"weighted_scores": [{"name": "x"}]},
            [],
            "`weighted_scores` is not as in a report",
        ),
        ({"weighted_scores": 7}, [], "`weighted_scores` is not as in a report"),
        ({"weighted_scores": []}, [], "a.jsonl: no report has a weighted score"),
        ("", PRESET, "a.jsonl: holds no rows"),
    ],
)
def test_what_cannot_be_used_is_one_line(
    cli: Cli, row: object, arguments: list[str], says: str
) -> None:
    cli.write("a.jsonl", row)
    done = cli("weighted", "a.jsonl", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not done.stdout


def test_contracts_say_in_which_line_a_score_is_wrong(cli: Cli) -> None:
    (cli.folder / "c.yaml").write_text(
        CONTRACT.replace("0.4}]", "0.3}]").replace("[right_people]", "[right_peple]")
    )
    done = cli("contract", "check", "c.yaml")
    assert done.returncode == 2
    said = done.stdout + done.stderr
    assert (
        "c.yaml:10:5: scoring.weighted.completion: weights must sum to 1, these sum to 0.9"
        in said
    )
    assert (
        "c.yaml:12:25: scoring.weighted.completion.hard_failure_if[0]: 'right_peple' is no criterion"
        in said
    )
    (cli.folder / "c.yaml").write_text(
        CONTRACT.replace("validator: required_fields", "validator: requird_fields")
    )
    done = cli("contract", "check", "c.yaml")
    assert (
        "no validator 'requird_fields' runs under this contract"
        in done.stdout + done.stderr
    )


def test_a_run_without_weighted_scores_is_refused(cli: Cli, make: Any) -> None:
    cli.write("r.jsonl", make("r1"))
    cli("grade", "r.jsonl", "-c", "contracts.yaml")
    done = cli("weighted")
    assert done.returncode == 2
    assert "name one under `scoring.weighted` of its contract" in done.stderr


RULES = """
task_id: trip
success_criteria: {must_include: [price, hotel]}
sop:
  rules:
    - {id: look_first, template: precedence, first: look, then: book}
    - {id: soon, template: existence, activity: look, within: {steps: 2}}
scoring:
  weighted:
    done:
      thresholds: {success: 0.9, graceful: 0.2}
      checks:
        - {id: soon, validator: sop, check: soon, weight: 0.5}
        - {id: hotel, validator: required_fields, check: hotel, weight: 0.3}
        - {id: price, validator: required_fields, check: price, weight: 0.2}
"""


def test_rules_and_fields_are_criteria_one_by_one_and_weighed_anew(cli: Cli) -> None:
    (cli.folder / "c.yaml").write_text(RULES)
    checked = cli("contract", "check", "c.yaml")
    assert checked.returncode == 0, checked.stderr
    trace = [{"tool_name": name} for name in ("book", "wait", "look")]
    cli.write(
        "r.jsonl",
        *(
            {
                "result_id": f"r{number}",
                "task_id": "trip",
                "output": {"final_answer": "x", "outputs": {"price": 5}},
                "trace": trace[::-1] if number else trace,
            }
            for number in range(2)
        ),
    )
    cli("grade", "r.jsonl", "-c", "c.yaml", "-q")
    held = {one["id"]: one["held"] for one in found(cli)["criteria"]}
    assert held == {"soon": 1, "hotel": 0, "price": 2}
    outcomes = found(cli)["outcomes"]
    assert outcomes["graceful_failure"] == 2
    other = ("--weights", "soon=0.8,hotel=0.1,price=0.1")
    data = json.loads(cli("weighted", "what-if", *other, "--json").stdout)
    means = {one["name"]: one["tcr"] for one in data["scores"]}
    assert means == pytest.approx({"done": 0.45, "done (what if)": 0.5})
    assert cli("weighted", "--fail-under", "0.5").returncode == 1
    assert cli("weighted", "--fail-under", "0.4").returncode == 0
    bad = cli("weighted", "what-if", "--weights", "soon=1")
    assert (bad.returncode, "different criteria" in bad.stderr) == (2, True)


def test_a_check_that_names_nothing_is_an_error_of_the_contract(cli: Cli) -> None:
    (cli.folder / "c.yaml").write_text(RULES.replace("check: hotel", "check: hotle"))
    done = cli("contract", "check", "c.yaml")
    assert done.returncode == 2
    assert "names no rule, field or check of required_fields" in done.stderr
    assert "did you mean 'hotel'?" in done.stderr
