"""From graded results through people's labels to a calibrated judge."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import anyio
import pytest

from judgemesh.contracts.gateway import ModelCall
from judgemesh.mesh import Mesh
from judgemesh.mesh.testing import ScriptedJudge

from .conftest import Cli

CONTRACT = """
task_id: letter
criteria:
  - {id: polite, question: Is it polite?, weight: 2}
  - {id: dated, question: Does it carry a date?, gate: true}
"""
ITEMS = 64
LEDGER = ".judgemesh/ledger.db"


def answer(call: ModelCall) -> str:
    """Right about every letter but each sixteenth, of which the votes disagree about every other one."""
    text = call.messages[-1]["content"]
    number = int(text.partition("Letter ")[2].partition(".")[0])
    truth = number % 2 == 0
    if number % 16 == 5:
        truth = call.sample_index % 2 == 0
    return "yes" if truth else "no"


async def grade(folder: Path, *, name: str, flip: int = 0) -> None:
    """One run over all letters; of the first `flip` the judge says the opposite."""

    def line(call: ModelCall) -> str:
        said = answer(call)
        number = int(
            call.messages[-1]["content"].partition("Letter ")[2].partition(".")[0]
        )
        return {"yes": "no", "no": "yes"}[said] if number < flip else said

    mesh = Mesh.from_config(
        contracts=folder / "letter.yaml",
        judge=ScriptedJudge(line),
        ledger=folder / LEDGER,
        run_name=name,
        cache=False,
    )
    async with mesh:
        for number in range(ITEMS):
            await mesh.grade(
                {
                    "result_id": f"r{number}",
                    "task_id": "letter",
                    "output": f"Letter {number}. Dear.",
                }
            )


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the letters are graded."""
    folder = tmp_path_factory.mktemp("graded")
    (folder / "letter.yaml").write_text(CONTRACT)
    anyio.run(lambda: grade(folder, name="first"))
    return folder


@pytest.fixture
def graded(cli: Cli, once: Path) -> Cli:
    shutil.copytree(once, cli.folder, dirs_exist_ok=True)
    return cli


def label(cli: Cli, name: str, rows: list[dict[str, Any]]) -> None:
    cli.write(name, *rows)
    done = cli("label", "import", name, "--labeler", "ann")
    assert done.returncode == 0, done.stderr


def truths(many: int) -> list[dict[str, Any]]:
    return [
        {
            "result_id": f"r{n}",
            "question_id": question,
            "label": "yes" if n % 2 == 0 else "no",
        }
        for n in range(many)
        for question in ("polite", "dated")
    ]


def test_the_queue_has_gates_first_and_the_unsure_before_the_sure(graded: Cli) -> None:
    assert graded("label", "export", "queue.csv").returncode == 0
    with (graded.folder / "queue.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * ITEMS
    gates = [row["gating"] == "True" for row in rows]
    assert gates == sorted(gates, reverse=True)
    soft = [float(row["priority"]) for row in rows if row["gating"] == "False"]
    assert soft == sorted(soft, reverse=True)
    assert soft[0] == 2.0  # no verdict, weight 2
    assert rows[0]["question"] == "Does it carry a date?"
    assert "verdict" not in rows[0]  # it would sway whoever labels


def test_what_is_labelled_leaves_the_queue(graded: Cli) -> None:
    label(graded, "some.jsonl", truths(10))
    done = graded(
        "label", "export", "rest.jsonl", "--limit", "5", "--with-verdict", "--json"
    )
    assert json.loads(done.stdout)["labelled"] == 20
    rows = [
        json.loads(line)
        for line in (graded.folder / "rest.jsonl").read_text().splitlines()
    ]
    assert len(rows) == 5
    assert int(rows[0]["result_id"][1:]) >= 10
    assert {"verdict", "reason"} <= rows[0].keys()
    assert {row["drawn"] for row in rows} == {"chosen"}


def test_a_problem_of_many_lines_is_said_once(graded: Cli) -> None:
    wrong = [f'{{"result_id": "r{n}", "agent_id": "bot"}}' for n in range(1, 6)]
    other = '{"result_id": "nobody", "question_id": "polite", "label": "yes"}'
    graded.write("labels.jsonl", *wrong, other)
    done = graded("label", "import", "labels.jsonl")
    first, second = done.stderr.splitlines()
    assert done.returncode == 2
    assert first.startswith("error: labels.jsonl:1: unknown key 'agent_id'; ")
    assert first.endswith(" (and on 4 more lines)")
    assert second.startswith("error: labels.jsonl:6: result_id 'nobody' is not in")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            '{"result_id": "r1", "question_id": "polite", "label": "maybe"}',
            "expected yes or no",
        ),
        (
            '{"result_id": "nobody", "question_id": "polite", "label": "yes"}',
            "not in the ledger",
        ),
        ('{"result_id": "r1", "label": "yes"}', "question_id is missing"),
        ('{"result_id": "r1", "score": 9}', "from 1 to 5"),
        ('{"result_id": "r1", "outcome_class": "great"}', "expected abandoned"),
        ('{"result_id": "r1", "lable": "yes"}', "unknown key 'lable'"),
        (
            '{"result_id": "r1", "score": 5, "drawn": "luckily"}',
            "expected at_random, by_verdict, chosen",
        ),
        ("[1]", "must be an object"),
        ("{", "is no JSON"),
    ],
)
def test_one_wrong_line_and_nothing_is_taken_in(
    graded: Cli, line: str, words: str
) -> None:
    graded.write(
        "labels.jsonl",
        '{"result_id": "r1", "question_id": "polite", "label": "yes"}',
        line,
    )
    done = graded("label", "import", "labels.jsonl")
    assert done.returncode == 2
    assert done.stderr.startswith("error: labels.jsonl:2: ")
    assert words in done.stderr
    with sqlite3.connect(graded.folder / LEDGER) as connection:
        assert connection.execute("SELECT count(*) FROM human_label").fetchone() == (0,)


def test_empty_labels_are_left_open(graded: Cli) -> None:
    graded("label", "export", "queue.csv", "--limit", "3")
    done = graded("label", "import", "queue.csv", "--json")
    assert json.loads(done.stdout) == {"file": "queue.csv", "labels": 0, "left_open": 3}


def test_too_few_labels_say_what_is_missing(graded: Cli) -> None:
    assert "no labels" in graded("calibrate").stderr
    label(graded, "some.jsonl", truths(10))
    done = graded("calibrate")
    assert done.returncode == 0, done.stderr
    assert "not calibrated: 10 more labels" in done.stdout
    assert "too few: 59" in done.stdout


@pytest.mark.parametrize("options", [(), ("--canary", "a..b")])
def test_a_ledger_that_is_not_there_is_not_made(
    cli: Cli, options: tuple[str, ...]
) -> None:
    done = cli("calibrate", "--ledger", "typo.db", *options)
    assert (done.returncode, "ledger typo.db does not exist" in done.stderr) == (
        2,
        True,
    )
    assert not (cli.folder / "typo.db").exists()


def test_a_calibrated_judge_says_how_right_it_is_until_the_canary_alarms(
    graded: Cli,
) -> None:
    label(graded, "all.jsonl", truths(ITEMS))
    done = graded("calibrate", "--alpha", "0.1", "--json")
    (judge,) = json.loads(done.stdout)["judges"]
    assert judge["labels"] == 2 * ITEMS
    assert judge["calibrated"]
    assert judge["threshold"]["certified"]
    anyio.run(lambda: grade(graded.folder, name="second"))
    with sqlite3.connect(graded.folder / LEDGER) as connection:
        query = (
            "SELECT v.confidence_correctness FROM eval_validator_result v JOIN eval_task_result t USING (eval_id) "
            "JOIN eval_run r USING (run_id) WHERE r.name = ? AND v.kind IN ('pass', 'fail') "
            "AND v.validator_name = 'criteria'"
        )
        assert {row[0] for row in connection.execute(query, ("first",))} == {None}
        assert all(0.5 < row[0] < 1 for row in connection.execute(query, ("second",)))
        runs = dict(connection.execute("SELECT name, run_id FROM eval_run").fetchall())
    lost = graded("calibrate", "--canary", f"nowhere..{runs['second']}")
    assert (lost.returncode, lost.stderr.startswith("error: --canary: ")) == (2, True)
    still = graded("calibrate", "--canary", f"{runs['first']}..{runs['second']}")
    assert (still.returncode, "no alarm" in still.stdout) == (0, True)
    anyio.run(lambda: grade(graded.folder, name="third", flip=12))
    with sqlite3.connect(graded.folder / LEDGER) as connection:
        runs = dict(connection.execute("SELECT name, run_id FROM eval_run").fetchall())
    alarm = graded("calibrate", "--canary", f"{runs['first']}..{runs['third']}")
    assert (alarm.returncode, "alarm" in alarm.stdout) == (1, True)
    anyio.run(lambda: grade(graded.folder, name="fourth"))
    with sqlite3.connect(graded.folder / LEDGER) as connection:
        assert {row[0] for row in connection.execute(query, ("fourth",))} == {None}
