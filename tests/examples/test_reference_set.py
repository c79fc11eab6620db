"""The reference set is what its page says: 200 traces, five classes in each of six families, and rules that agree."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import chain, combinations
from operator import eq
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.grading.contract_check.check import check_contracts, load_contracts
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.inputs.given import to_result
from judgemesh.mesh.metrics.agreement import cohen_kappa

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
SET = ROOT / "examples" / "reference_set"
# Traces, cost ceiling and median cost in US dollars, as the ASR article gives them.
FAMILIES = {
    "research": (33, 2.00, 1.40),
    "triage": (35, 0.10, 0.06),
    "code_review": (33, 0.50, 0.32),
    "extraction": (33, 0.25, 0.18),
    "drafting": (33, 0.50, 0.31),
    "scheduling": (33, 0.15, 0.09),
}
CLASSES = {one.value for one in OutcomeClass}


def rows(family: str, name: str) -> list[Json]:
    return [
        json.loads(line)
        for line in (SET / family / f"{name}.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]


def measured(*options: str) -> str:
    command = [
        sys.executable,
        str(ROOT / "benchmarks" / "accuracy" / "reference_set.py"),
        *options,
    ]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=120
    ).stdout


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_holds_every_class_near_misses_and_both_splits(family: str) -> None:
    traces, labels = rows(family, "results"), rows(family, "labels")
    count = FAMILIES[family][0]

    assert [row["result_id"] for row in traces] == [
        f"{family}-{number:02}" for number in range(1, count + 1)
    ]
    assert [row["result_id"] for row in labels] == [row["result_id"] for row in traces]
    assert {row["outcome_class"] for row in labels} == CLASSES
    assert min(Counter(row["outcome_class"] for row in labels).values()) >= 3
    for split in ("calibration", "test"):
        held = [row["outcome_class"] for row in labels if row["split"] == split]
        assert set(held) == CLASSES
        assert abs(len(held) - count / 2) <= 2
    for outcome in CLASSES:
        both = Counter(
            row["split"] for row in labels if row["outcome_class"] == outcome
        )
        assert abs(both["calibration"] - both["test"]) <= 1
    near = [row for row in labels if row["near"] is not None]
    assert len(near) >= 6
    assert all(row["near"] in CLASSES - {row["outcome_class"]} for row in near)
    for row in labels:
        assert row.keys() == {
            "result_id",
            "outcome_class",
            "rationale",
            "split",
            "near",
            "decided_by",
        }
        assert 20 <= len(row["rationale"]) <= 300
        assert "\n" not in row["rationale"]


@pytest.mark.parametrize("family", FAMILIES)
def test_costs_are_those_of_the_article(family: str) -> None:
    _, ceiling, middle = FAMILIES[family]
    traces = rows(family, "results")
    costs = [row["cost"]["amount"] for row in traces]

    assert median(costs) == middle
    assert 2 <= sum(cost > ceiling for cost in costs) <= 6
    assert {row["cost"]["currency"] for row in traces} == {"USD"}
    contracts = load_contracts([SET / family / "contracts.yaml"]).contracts
    for loaded in contracts:
        budget = loaded.contract.budget
        assert budget is not None
        assert budget.ceiling is not None
        assert (float(budget.ceiling.amount), loaded.contract.family) == (
            ceiling,
            family,
        )
    assert len(contracts) >= 10
    assert {row["task_id"] for row in traces} == {
        loaded.contract.task_id for loaded in contracts
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_a_trace_says_what_was_asked_and_how_it_went(family: str) -> None:
    for row in rows(family, "results"):
        result = to_result(row)
        assert result.metadata["prompt"].strip()
        assert result.latency_ms
        assert result.cost
        assert result.trace
        assert len(result.trace.steps) >= 1


@pytest.mark.parametrize("family", FAMILIES)
def test_no_task_stands_in_both_splits(family: str) -> None:
    splits = {row["result_id"]: row["split"] for row in rows(family, "labels")}
    tasks: dict[str, set[str]] = {}
    for row in rows(family, "results"):
        tasks.setdefault(row["task_id"], set()).add(splits[row["result_id"]])

    assert {len(found) for found in tasks.values()} == {1}


@pytest.mark.parametrize("family", FAMILIES)
def test_what_was_done_lies_inside_the_run(family: str) -> None:
    for row in rows(family, "results"):
        start, end = map(datetime.fromisoformat, (row["started_at"], row["ended_at"]))
        assert abs((end - start).total_seconds() - row["latency_ms"] / 1000) <= 1
        for done in (*row.get("actions", []), *row.get("records", [])):
            if "at" in done:
                assert start <= datetime.fromisoformat(done["at"]) <= end


@pytest.mark.parametrize("family", FAMILIES)
def test_both_labellings_hold_every_run_and_adjudication_names_what_it_changed(
    family: str,
) -> None:
    first, second = rows(family, "first_labels"), rows(family, "second_labels")
    labels = {row["result_id"]: row["outcome_class"] for row in rows(family, "labels")}
    ids = [row["result_id"] for row in second]

    assert [row["result_id"] for row in first] == ids
    assert {one.removeprefix("replaced-") for one in ids} == labels.keys()
    assert {row["outcome_class"] for row in (*first, *second)} <= CLASSES
    assert min(len(row["rationale"]) for row in second) >= 20
    changes = (SET / "CHANGES.md").read_text(encoding="utf-8")
    for one, other in zip(first, second, strict=True):
        run = one["result_id"].removeprefix("replaced-")
        classes = {one["outcome_class"], other["outcome_class"]}
        if classes != {labels[run]}:
            assert f"`{run}`" in changes
        if one["result_id"] != run:
            assert labels[run] == "hallucinated"
    assert any(one != one.removeprefix("replaced-") for one in ids)


def test_contracts_are_in_order() -> None:
    assert check_contracts(load_contracts([SET]), ValidatorRegistry.discover()) == []


def test_no_two_traces_are_one_with_other_nouns() -> None:
    """Runs of different tasks share hardly a phrase of four words; runs of one task are not copies of each other."""
    phrases = [
        (row["task_id"], found)
        for family in FAMILIES
        for row in rows(family, "results")
        if len(found := set(_phrases(row["output"]))) >= 8
    ]
    assert len(phrases) > 150
    for (task, one), (other_task, other) in combinations(phrases, 2):
        limit = 0.8 if task == other_task else 0.1
        assert len(one & other) / len(one | other) < limit, (task, other_task)


def _phrases(output: Json) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"\w+", json.dumps(output, ensure_ascii=False).lower())
    return zip(words, words[1:], words[2:], words[3:], strict=False)


def test_rules_place_what_needs_no_judge_and_nothing_wrongly() -> None:
    line = json.loads(measured())

    assert line["traces"] == 200
    assert line["rules"]["disagree"] == []
    assert line["rules"]["agree"] == line["rules"]["traces"] >= 120
    assert line["people"]["wrong"] == 0
    assert line["people"]["traces"] + line["rules"]["traces"] == 200


def test_the_page_shows_the_measured_confusion() -> None:
    page = (ROOT / "docs/evidence/reference-set.md").read_text(encoding="utf-8")
    assert measured("--table").strip() in page


def test_the_page_shows_the_agreement_of_the_two_labellings() -> None:
    page = (ROOT / "docs/evidence/reference-set.md").read_text(encoding="utf-8")
    first, second = (
        {
            family: [row["outcome_class"] for row in rows(family, name)]
            for family in FAMILIES
        }
        for name in ("first_labels", "second_labels")
    )
    for family in FAMILIES:
        kappa = cohen_kappa(first[family], second[family])
        same = sum(map(eq, first[family], second[family]))
        assert f"| `{family}` | {len(first[family])} | {same} | {kappa:.3f} " in page
    one, two = (list(chain(*labels.values())) for labels in (first, second))
    assert (
        f"| all | 200 | {sum(map(eq, one, two))} | {cohen_kappa(one, two):.3f} " in page
    )


def test_the_readme_shows_what_the_commands_print(tmp_path: Path) -> None:
    def judgemesh(*arguments: str) -> str:
        command = [
            str(Path(sys.executable).with_name("judgemesh")),
            *arguments,
            "--ledger",
            str(tmp_path / "l.db"),
        ]
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("JUDGEMESH")
        }
        environment = {**kept, "COLUMNS": "100", "NO_COLOR": "1"}
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env=environment,
        ).stdout

    results = sorted(str(path) for path in SET.glob("*/results.jsonl"))
    judgemesh("grade", *results, "--contracts", str(SET), "--fail-under", "0", "-q")
    printed = "\n".join(
        line.rstrip()
        for line in judgemesh("asr", "--contracts", str(SET)).rstrip().splitlines()
    )
    assert f"```text asr\n{printed}\n```" in (
        ROOT / "docs/evidence/reference-set.md"
    ).read_text(encoding="utf-8")
    (pair,) = json.loads(judgemesh("agreement", "--reference", str(SET), "--json"))[
        "pairs"
    ]
    assert (pair["items"], pair["agreed"]) == (155, 155)
