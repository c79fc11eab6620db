"""`judgemesh agreement`, through the command's own entry."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli, ResultOf

NUMBERS = Path(__file__).resolve().parents[2] / "examples" / "numbers"
CLASSES = ["complete", "partial+", "partial-", "hallucinated", "abandoned"]


@pytest.fixture
def numbers(cli: Cli) -> Cli:
    shutil.copytree(NUMBERS, cli.folder, dirs_exist_ok=True)
    return cli


def found(cli: Cli, *arguments: str) -> dict[str, Any]:
    done = cli("agreement", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def pair(data: dict[str, Any], one: str, two: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = [
        row for row in data["pairs"] if (row["one"], row["two"]) == (one, two)
    ]
    assert len(rows) == 1
    return rows[0]


def labels(cli: Cli, name: str, classes: list[Any], **more: Any) -> str:
    return cli.write(
        name,
        *(
            {"result_id": f"r{n}", "outcome_class": one, **more}
            for n, one in enumerate(classes)
        ),
    )


def test_reviewers_a_judge_and_canonical_labels(numbers: Cli) -> None:
    files = ("ann.jsonl", "ben.csv", "small-judge.jsonl", "--judge", "small-judge")
    data = found(numbers, *files, "--reference", "canonical.jsonl")
    assert {name: one["kind"] for name, one in data["reviewers"].items()} == {
        "small-judge": "judge",
        "ann": "person",
        "ben": "person",
        "reference": "reference",
    }
    assert len(data["pairs"]) == 6
    ann = pair(data, "ann", "reference")
    assert (ann["items"], ann["agreed"]) == (24, 21)
    assert ann["kappa"]["ci"]["low"] < ann["kappa"]["value"] < 1
    assert sum(row["items"] for row in ann["confusion"]) == 24
    assert ann["classes"]["hallucinated"] == {
        "one": 2,
        "two": 3,
        "both": 2,
        "agreement": pytest.approx(0.8),
    }
    assert pair(data, "ben", "reference")["items"] == 23  # an empty cell was left open
    beside = data["judge_beside_people"]["small-judge"]
    people = pair(data, "ann", "ben")["kappa"]["value"]
    assert beside["kappa_among_people"] == pytest.approx(people)
    assert beside["kappa_with_people"] < people
    assert set(data["alpha"]) == {"people", "people and judges"}
    assert data["near_misses"]["ann"] == {"differences": 3, "near": 3}
    assert data["near_misses"]["small-judge"] == {"differences": 8, "near": 6}
    differing = {row["result_id"]: row for row in data["differences"]}
    assert len(differing) == 13
    assert (
        differing["inv-05"]["reference"]["rationale"]
        == "The booking number is in no record."
    )
    assert differing["inv-05"]["reference"]["near"] == "partial-"
    shown = numbers(
        "agreement", *files, "--reference", "canonical.jsonl", COLUMNS="120"
    ).stdout
    for words in (
        "rows: reference; columns: ann",
        "The booking number is in no record.",
        "people with each other 0.5",
    ):
        assert words in shown


def test_a_split_of_the_reference(numbers: Cli) -> None:
    data = found(
        numbers, "ann.jsonl", "--reference", "canonical.jsonl", "--split", "calibration"
    )
    (numbers.folder / "set/one").mkdir(parents=True)
    (numbers.folder / "canonical.jsonl").rename(numbers.folder / "set/one/labels.jsonl")
    assert (
        found(numbers, "ann.jsonl", "--reference", "set", "--split", "calibration")
        == data
    )
    assert (data["items"], data["split"]) == (11, "calibration")
    assert data["pairs"][0]["agreement"] == 1
    assert "no interval" in data["pairs"][0]["kappa"]["why_not"]


def test_a_run_of_the_ledger_and_peoples_labels_of_it(cli: Cli, make: ResultOf) -> None:
    cli.write(
        "r.jsonl", *(make(f"r{number}", good=number % 3 > 0) for number in range(30))
    )
    assert cli("grade", "r.jsonl", "-c", "contracts.yaml", "-q").returncode == 1
    said = [
        "partial-" if number % 3 == 0 or number == 1 else "complete"
        for number in range(30)
    ]
    cli.write(
        "ann.jsonl",
        *({"result_id": f"r{n}", "outcome_class": one} for n, one in enumerate(said)),
    )
    cli.write(
        "ben.jsonl",
        *({"result_id": f"r{n}", "score": 5 if n % 3 else 2.5} for n in range(20)),
    )
    for name in ("ann", "ben"):
        assert (
            cli("label", "import", f"{name}.jsonl", "--labeler", name).returncode == 0
        )
    data = found(cli)
    (run,) = [name for name, one in data["reviewers"].items() if one["kind"] == "judge"]
    assert run.startswith("run_")
    assert pair(data, run, "ann")["agreed"] == 29
    assert pair(data, run, "ben")["agreed"] == 20
    assert data["judge_beside_people"][run]["kappa_with_people"] > 0.9
    # The same with a file beside the run.
    cli.write(
        "cem.jsonl",
        *({"result_id": f"r{n}", "outcome_class": one} for n, one in enumerate(said)),
    )
    assert {"ann", "ben", "cem", run} == found(cli, "cem.jsonl", "--run", run)[
        "reviewers"
    ].keys()


def test_numbers_that_would_not_be_valid_are_refused_one_by_one(cli: Cli) -> None:
    labels(cli, "few.jsonl", CLASSES)
    labels(cli, "more.jsonl", [*CLASSES, *CLASSES])
    few = found(cli, "few.jsonl", "more.jsonl")["pairs"][0]
    assert (few["agreed"], few["kappa"]["value"]) == (5, None)
    assert "needs 10 items labelled by both, there are 5" in few["kappa"]["why_not"]
    labels(cli, "one.jsonl", ["complete"] * 12)
    labels(cli, "two.jsonl", ["complete"] * 12)
    same = found(cli, "one.jsonl", "two.jsonl")
    assert "one label, complete" in same["pairs"][0]["kappa"]["why_not"]
    assert same["alpha"]["people"]["value"] is None
    labels(cli, "mixed.jsonl", ["complete"] * 10 + ["abandoned"] * 2)
    constant = found(cli, "one.jsonl", "mixed.jsonl")
    assert constant["pairs"][0]["kappa"]["value"] == 0
    warnings = " ".join(constant["warnings"])
    assert "one says complete to everything that mixed labelled" in warnings
    assert "always saying complete would agree on 83.3%" in warnings


def test_yes_and_no_and_what_comes_again(cli: Cli) -> None:
    rows = [
        {"result_id": f"r{n}", "question_id": q, "label": n % 2 == 0}
        for n in range(8)
        for q in ("a", "b")
    ]
    cli.write("ann.jsonl", *rows)
    cli.write(
        "ben.jsonl",
        *({**row, "label": "Yes" if row["label"] else "n"} for row in rows),
        {**rows[0], "label": "no"},
    )
    data = found(cli, "ann.jsonl", "ben.jsonl")
    assert (data["scale"], data["items"]) == (["yes", "no"], 16)
    assert data["pairs"][0]["agreed"] == 15
    assert data["warnings"] == ["1 label replaced by a later one of the same reviewer"]


@pytest.mark.parametrize(
    ("row", "arguments", "says"),
    [
        ("[]", [], "a.jsonl:1: expected an object"),
        ('{"result_id": ', [], "a.jsonl:1: is no JSON"),
        ({"outcome_class": "complete"}, [], "a.jsonl:1: result_id is missing"),
        ({"result_id": "r0"}, [], "expected `outcome_class`, `label` or `score`"),
        (
            {"result_id": "r0", "outcome_class": "compelte"},
            [],
            "outcome_class: expected complete, partial+",
        ),
        ({"result_id": "r0", "label": "maybe"}, [], "label: expected complete"),
        ({"result_id": "r0", "label": 3}, [], "label: expected complete"),
        ({"result_id": "r0", "label": ["yes"]}, [], "label: expected complete"),
        (
            {"result_id": "r0", "score": 6},
            [],
            "score: expected a number from 1 to 5, got 6",
        ),
        (
            {"result_id": "r0", "score": "5 stars"},
            [],
            "score: expected a number from 1 to 5",
        ),
        (
            '{"result_id": "r0", "score": 1%s}' % ("0" * 400),
            [],
            "score: expected a number from 1 to 5",
        ),
        (
            {"result_id": "r0", "score": True},
            [],
            "score: expected a number from 1 to 5",
        ),
        (
            {"result_id": "r0", "score": 5, "outcome_class": "abandoned"},
            [],
            "contradict each other",
        ),
        (
            {"result_id": {"x": 1}, "outcome_class": "complete"},
            [],
            "result_id: expected text",
        ),
        (
            {"result_id": "r0", "outcome_class": "complete", "labeler": [1]},
            [],
            "labeler: expected text",
        ),
        (
            {"result_id": "r0", "outcome_class": "complete"},
            [],
            "there is only one reviewer: a",
        ),
        (
            {"result_id": "r0", "outcome_class": "complete"},
            ["b.jsonl"],
            "a, b have labelled no item in common",
        ),
        (
            {"result_id": "x", "label": "yes"},
            ["b.jsonl"],
            "outcome classes and yes/no answers cannot be compared",
        ),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["b.jsonl", "--judge", "c"],
            "--judge: nobody is called 'c'",
        ),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["--split", "test"],
            "give --reference FILE",
        ),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["--reference", "b.jsonl", "--split", "test"],
            "b.jsonl: holds no item of the split test",
        ),
        (
            {"result_id": "x", "outcome_class": "complete", "labeler": "reference"},
            ["--reference", "b.jsonl"],
            "a reviewer is called `reference`",
        ),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["--reference", "twice.jsonl"],
            "twice.jsonl:2: x is given twice",
        ),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["--reference", "open.jsonl"],
            "a canonical label is missing",
        ),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["empty.jsonl"],
            "empty.jsonl: holds no labels",
        ),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["nowhere.csv"],
            "nowhere.csv: cannot be read",
        ),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["wide.csv"],
            "wide.csv:2: has more cells than the first line",
        ),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["latin.csv"],
            "latin.csv: not UTF-8 (byte 11): convert the file",
        ),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["--reference", "."],
            ".: holds no labels.jsonl",
        ),
        ({"result_id": "x", "outcome_class": "complete"}, ["--run", "r"], "judgemesh"),
        (
            {"result_id": "x", "outcome_class": "complete"},
            ["crowd.jsonl"],
            "42 reviewers are too many",
        ),
    ],
)
def test_what_cannot_be_used_is_one_line(
    cli: Cli, row: object, arguments: list[str], says: str
) -> None:
    cli.write("a.jsonl", row)
    one = {"result_id": "x", "outcome_class": "complete"}
    cli.write("b.jsonl", one)
    cli.write("twice.jsonl", one, one)
    cli.write("open.jsonl", {"result_id": "x", "outcome_class": None})
    cli.write("empty.jsonl")
    cli.write(
        "crowd.jsonl", *({**one, "labeler": f"w{number}"} for number in range(41))
    )
    cli.write("wide.csv", "result_id,label", "x,yes,no")
    (cli.folder / "latin.csv").write_bytes(b"result_id,\xe9\n")
    done = cli("agreement", "a.jsonl", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not done.stdout


def test_hostile_names_are_shown_harmless(cli: Cli) -> None:
    rows = [
        {"result_id": f"r\x1b[31m{n}", "outcome_class": CLASSES[n % 2]}
        for n in range(12)
    ]
    cli.write("a.jsonl", *({**row, "labeler": "ev\u202eil"} for row in rows))
    cli.write("b.jsonl", *({**row, "outcome_class": "abandoned"} for row in rows))
    cli.write("c.jsonl", *({**row, "rationale": "x\x1b]0;y\x07"} for row in rows))
    shown = cli("agreement", "a.jsonl", "b.jsonl", "--reference", "c.jsonl").stdout
    assert not {"\x1b", "\u202e", "\x07"} & set(shown)
