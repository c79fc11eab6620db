"""A panel and a certified pair through the command: graded, labelled, calibrated, graded again. All offline."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from judgemesh.contracts.gateway import ModelCall
from judgemesh.mesh import Mesh
from judgemesh.mesh.judging.gateways.cassette import RecordingJudge
from judgemesh.mesh.testing import ScriptedJudge

from ..conftest import Cli

CONTRACT = """
task_id: letter
criteria:
  - {id: polite, question: Is it polite?, weight: 2}
"""
ITEMS = 32
PANEL = (
    "--judge",
    "replay:a.jsonl",
    "--judge",
    "replay:b.jsonl",
    "--judge",
    "replay:c.jsonl",
)
GRADE = ("grade", "results.jsonl", "-c", "letter.yaml", "--fail-under", "0")


def truth_of(number: int) -> bool:
    return number % 2 == 0


def judge(name: str, rate: float) -> Callable[[ModelCall], str]:
    """A judge that is right about so many letters, each in its own way, and always sure of itself."""

    def line(call: ModelCall) -> str:
        number = int(
            call.messages[-1]["content"].partition("Letter ")[2].partition(".")[0]
        )
        right = random.Random(f"{name}{number}").random() < rate  # noqa: S311 - a simulation
        return "yes" if right == truth_of(number) else "no"

    return line


class Named(RecordingJudge):
    """A recorder of a judge that has a model's name."""

    def __init__(self, inner: ScriptedJudge, path: Path, model: str) -> None:
        super().__init__(inner, path)
        self.model = model


def results() -> list[dict[str, Any]]:
    return [
        {
            "result_id": f"r{n}",
            "task_id": "letter",
            "agent_model": "gpt-5",
            "output": f"Letter {n}. Dear.",
        }
        for n in range(ITEMS)
    ]


@pytest.fixture(scope="module")
def tapes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Cassettes of four judges, by file name."""
    folder = tmp_path_factory.mktemp("tapes")
    (folder / "letter.yaml").write_text(CONTRACT)
    judges = [
        Named(ScriptedJudge(judge(model, rate)), folder / name, model)
        for name, model, rate in (
            ("a.jsonl", "gpt-4.1-mini", 0.9),
            ("b.jsonl", "claude-haiku-4-5", 0.85),
            ("c.jsonl", "gemini-2.5-flash", 0.8),
        )
    ]
    strong = Named(
        ScriptedJudge(judge("claude-sonnet-4-5", 0.99)),
        folder / "d.jsonl",
        "claude-sonnet-4-5",
    )

    async def record() -> None:
        for one in (judges, judges[0]):
            options: dict[str, Any] = (
                {} if one is judges else {"escalate": strong, "escalate_audit": 1.0}
            )
            mesh = Mesh.from_config(
                contracts=folder / "letter.yaml", judge=one, cache=False, **options
            )
            async with mesh:
                for result in results():
                    await mesh.grade(result)

    anyio.run(record)
    return {path.name: path.read_text() for path in folder.glob("*.jsonl")}


@pytest.fixture
def taped(cli: Cli, tapes: Mapping[str, str]) -> Cli:
    cli.write("letter.yaml", CONTRACT)
    cli.write("results.jsonl", *results())
    for name, text in tapes.items():
        (cli.folder / name).write_text(text)
    labels = [
        {
            "result_id": f"r{n}",
            "question_id": "polite",
            "label": "yes" if truth_of(n) else "no",
        }
        for n in range(ITEMS)
    ]
    cli.write("labels.jsonl", *labels)
    return cli


def test_a_panel_is_graded_labelled_calibrated_and_graded_again(taped: Cli) -> None:
    done = taped(*GRADE, *PANEL, "--json")
    first = json.loads(done.stdout)
    assert (done.returncode, first["attempted"], first["panel"]["n_eff_from"]) == (
        0,
        ITEMS,
        "agreement",
    )
    assert first["panel"]["judges"] == [
        "gpt-4.1-mini",
        "claude-haiku-4-5",
        "gemini-2.5-flash",
    ]
    assert any(
        "own model family" in warning for warning in first["warnings"]
    )  # the agent is a gpt too
    # What the judges differ on comes first in the queue.
    assert taped("label", "export", "queue.jsonl").returncode == 0
    queue = [
        json.loads(line)
        for line in (taped.folder / "queue.jsonl").read_text().splitlines()
    ]
    with sqlite3.connect(taped.folder / ".judgemesh/ledger.db") as connection:
        rows = connection.execute(
            "SELECT chance FROM judge_opinion WHERE role = 'final' AND validator_name = 'criteria'"
        )
        chances = [row[0] for row in rows]
    assert len(chances) == ITEMS
    split = sum(0 < chance < 1 for chance in chances)
    assert 0 < split < ITEMS
    assert len({row["priority"] for row in queue[:split]}) == 1
    assert queue[split - 1]["priority"] > queue[split]["priority"]

    assert taped("label", "import", "labels.jsonl", "--labeler", "ann").returncode == 0
    told = taped("calibrate", "--alpha", "0.2", "--delta", "0.1")
    assert (
        "panel gpt-4.1-mini + claude-haiku-4-5 + gemini-2.5-flash: 32 labelled questions"
        in told.stdout
    ), told
    found = json.loads(
        taped("calibrate", "--alpha", "0.2", "--delta", "0.1", "--json").stdout
    )
    assert [one["model"] for one in found["judges"]] == [
        "claude-haiku-4-5",
        "gemini-2.5-flash",
        "gpt-4.1-mini",
    ]
    assert found["panels"][0]["calibrated"]
    assert set(found["panels"][0]["rates"]) == {
        "majority",
        "best_single",
        "mean_probability",
        "log_odds",
    }

    again = json.loads(taped(*GRADE, *PANEL, "--json").stdout)
    assert (again["run_id"] == first["run_id"], again["panel"]["n_eff_from"]) == (
        False,
        "labels",
    )
    assert again["judge_calls"] == 0
    assert found["panels"][0]["chosen"] == "log_odds"
    plain = json.loads(taped(*GRADE, *PANEL, "--panel", "majority", "--json").stdout)
    assert plain["run_id"] not in (again["run_id"], first["run_id"])
    resumed = json.loads(taped(*GRADE, *PANEL, "--panel", "majority", "--json").stdout)
    assert (resumed["run_id"], resumed["resumed"]) == (plain["run_id"], ITEMS)
    known = json.loads(
        taped(*GRADE, *PANEL, "--panel", "majority", "--dry-run", "--json").stdout
    )
    assert (known["already_graded"], known["calls"]["low"]) == (ITEMS, 0)
    one = " ".join(taped("report", "r0", "--run", plain["run_id"]).stdout.split())
    assert "gpt-4.1-mini yes, claude-haiku-4-5" in one
    assert "added up by majority" in one
    shown = taped("report")
    assert "effective votes by their errors on 32" in " ".join(shown.stdout.split())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((*PANEL, "--panel", "stacking"), "needs labels of this panel"),
        ((*PANEL, "--panel", "mean"), "expected auto, majority"),
        ((*PANEL[:2], "--panel", "majority"), "there is one"),
        ((*PANEL[:2], *PANEL[:2]), "in the panel twice"),
        ((*PANEL[:2], "--escalate-audit", "0.5"), "--escalate MODEL"),
        ((*PANEL[:2], "--escalate", "replay:a.jsonl"), "would only repeat itself"),
        ((*PANEL, "--escalate", "replay:b.jsonl"), "would only repeat itself"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    taped: Cli, options: tuple[str, ...], words: str
) -> None:
    done = taped(*GRADE, *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_budget_holds_for_all_judges_together(taped: Cli) -> None:
    done = taped(*GRADE, *PANEL, "--max-cost", "0.5", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["attempted"] < ITEMS) == (
        4,
        True,
    )  # the recorded judges report no usage
    more = json.loads(taped(*GRADE, *PANEL, "--max-cost", "50", "--json").stdout)
    assert (more["run_id"], more["attempted"], more["undecided"]) == (
        found["run_id"],
        ITEMS,
        0,
    )


def test_a_dry_run_asks_nobody_not_even_the_second_judge(taped: Cli) -> None:
    done = taped(
        *GRADE,
        *PANEL,
        "--escalate",
        "replay:d.jsonl",
        "--escalate-audit",
        "0.5",
        "--dry-run",
        "--json",
    )
    found = json.loads(done.stdout)
    assert (
        found["judge"]
        == "gpt-4.1-mini + claude-haiku-4-5 + gemini-2.5-flash, then claude-sonnet-4-5"
    )
    assert 3 * 2 * ITEMS < found["calls"]["low"] < found["calls"]["high"]
    assert not (taped.folder / ".judgemesh").exists()


def _check_escalation(cli: Cli) -> None:
    """How often the stronger judge decided is what the opinions of the latest run say."""
    shown = json.loads(cli("report", "--json").stdout)
    with sqlite3.connect(cli.folder / ".judgemesh/ledger.db") as connection:
        rows = connection.execute(
            "SELECT role, audit_share IS NOT NULL FROM judge_opinion WHERE run_id = ?",
            (shown["run_id"],),
        ).fetchall()
    finals = [drawn for role, drawn in rows if role == "final"]
    escalated = sum(role == "first" for role, _ in rows)
    figures = {
        "questions": len(finals),
        "escalated": escalated,
        "audited": sum(finals),
    }
    assert shown["escalation"] == figures
    assert figures["questions"] == ITEMS
    assert figures["audited"] >= 24
    text = cli("report").stdout
    line = f"{escalated} of {ITEMS} questions went to the stronger judge ({escalated / ITEMS:.1%}); {sum(finals)} drawn"
    assert line in text


def test_a_pair_is_certified_from_what_both_were_asked(taped: Cli) -> None:
    pair = (*PANEL[:2], "--escalate", "replay:d.jsonl")
    assert taped(*GRADE, *pair).returncode == 0
    taped("label", "import", "labels.jsonl", "--labeler", "ann")
    bare = taped("calibrate")
    assert (
        "no thresholds certified: the second judge was asked only what the first left open"
        in bare.stdout
    )
    assert taped(*GRADE, *pair, "--escalate-audit", "0.9").returncode == 0
    audited = taped("label", "export", "left.jsonl", "--audited", "--json")
    drawn = json.loads(audited.stdout)["labelled"]
    assert 24 <= drawn < ITEMS
    (found,) = json.loads(
        taped("calibrate", "--alpha", "0.2", "--delta", "0.1", "--json").stdout
    )["pairs"]
    assert (found["audited"], found["certificate"]["certified"]) == (drawn, True)
    _check_escalation(taped)
    again = json.loads(taped(*GRADE, *pair, "--json").stdout)
    with sqlite3.connect(taped.folder / ".judgemesh/ledger.db") as connection:
        rows = connection.execute(
            "SELECT v.details FROM eval_validator_result v JOIN eval_task_result t USING (eval_id) "
            "WHERE t.run_id = ? AND v.validator_name = 'criteria'",
            (again["run_id"],),
        ).fetchall()
    assert len(rows) == ITEMS
    assert all(
        json.loads(row[0])["certified"] == {"alpha": 0.2, "delta": 0.1} for row in rows
    )
