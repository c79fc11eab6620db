"""The judging benchmarks meet their bars, offline; those on recorded answers only where the data are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"


def lines_of(script: str, *options: str) -> list[dict[str, Any]]:
    command = [sys.executable, str(ROOT / "benchmarks" / script), *options]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr or done.stdout
    return [json.loads(line) for line in done.stdout.splitlines()]


def recorded(name: str) -> str:
    if not (DATA / name).is_dir():
        pytest.skip(f"no recorded data at {DATA / name}")
    return str(DATA / name)


def test_votes_meet_their_bars() -> None:
    (line,) = lines_of("judging/votes.py", "--trials", "10000", "--runs", "100")
    assert line["ok"]
    assert len(line["rules"]) == 6
    assert line["faults"]["fault_rate"] == pytest.approx(0.1, abs=0.02)


def test_certified_thresholds_keep_their_promise() -> None:
    (line,) = lines_of(
        "judging/cascade.py",
        "--seeds",
        "150",
        "--fresh",
        "1500",
        "--draws",
        "40",
        "--data",
        str(ROOT / "nowhere"),
    )
    assert line["ok"]
    assert line["judges"]["certified"]["share"] > 0.5
    assert line["recorded"] is None
    assert line["single"]["violations"] <= 0.05 < line["single"]["naive"]
    assert line["single"]["coverage"] > line["single"]["coverage_from_top"]


@pytest.mark.data
def test_the_cascade_is_cheap_on_recorded_answers() -> None:
    (line,) = lines_of(
        "judging/cascade.py",
        "--seeds",
        "20",
        "--fresh",
        "500",
        "--draws",
        "9",
        "--data",
        recorded("judge_votes"),
    )
    found = line["recorded"]
    assert (
        found["agreement"] >= 0.8,
        found["coverage"] >= 0.8,
        found["cost_share"] <= 0.25,
    ) == (True, True, True)


@pytest.mark.data
def test_recorded_judges() -> None:
    lines = {
        line["file"]: line
        for line in lines_of(
            "accuracy/judge_votes.py", "--data", recorded("judge_votes")
        )
    }
    assert all(
        line["default_panel"] >= line["best_single"] - 0.01 for line in lines.values()
    )
    trivia, pairs = (
        lines["umass_triviaqa_V1.jsonl"],
        lines["cascade_selective_500.jsonl"],
    )
    assert trivia["best_single"] == pytest.approx(0.927, abs=0.002)
    assert trivia["majority"] == pytest.approx(0.9415, abs=0.001)
    assert trivia["dawid_skene"] == pytest.approx(0.938, abs=0.002)
    assert trivia["selective_90"] == pytest.approx(0.970, abs=0.002)
    assert pairs["ece_raw"] == pytest.approx(0.14, abs=0.01)
    assert pairs["ece_platt"] <= 0.05
    assert pairs["cascade_accuracy"] >= 0.85
    assert pairs["cascade_coverage"] >= 0.5
    assert "nearly one judge" in pairs["warning"]


@pytest.mark.data
def test_recorded_probes_of_references() -> None:
    (line,) = lines_of(
        "accuracy/hallucinated_references.py",
        "--data",
        recorded("hallucinated_references"),
    )
    assert line["auroc_mean"] == pytest.approx(0.93, abs=0.01)
    assert line["ece_calibrated"] <= 0.06
    assert line["third_answers"] > 0


def test_any_folder_of_the_schema_works(tmp_path: Path) -> None:
    rows = [
        {
            "votes": {"a": n % 2, "b": n % 2 if n % 7 else 1 - n % 2, "c": None},
            "human": n % 2,
        }
        for n in range(120)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "mine.jsonl").write_text(text + "not json\n")
    (line,) = lines_of("accuracy/judge_votes.py", "--data", str(tmp_path))
    assert (
        line["file"],
        line["items"],
        line["best_single"],
        line["default_panel"],
    ) == ("mine.jsonl", 120, 1.0, 1.0)
    probes = [
        {
            "exists": n % 2 == 0,
            "topic": f"t{n % 10 // 2}",
            "direct_votes": ["YYY?" if n % 2 == 0 else "NN?N"],
            "p_indirect_author_consistency": 0.9 if n % 2 == 0 else None,
        }
        for n in range(40)
    ]
    folder = tmp_path / "probes"
    folder.mkdir()
    (folder / "probes.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in probes)
    )
    (line,) = lines_of("accuracy/hallucinated_references.py", "--data", str(folder))
    assert (line["items"], line["auroc_mean"], line["third_answers"]) == (40, 1.0, 40)


def test_odd_folders_give_lines_and_no_figure_that_nothing_stands_behind(
    tmp_path: Path,
) -> None:
    """One item, a judge that never votes, copies of one judge, probabilities of .5; one topic, ragged prompts."""
    rows = {
        "one.jsonl": [{"votes": {"a": 1, "b": 0}, "human": 1}],
        "silent.jsonl": [
            {"votes": {"a": n % 2, "b": None}, "human": n % 3 % 2} for n in range(60)
        ],
        "copies.jsonl": [
            {"votes": dict.fromkeys("abc", int(n % 9 > 0)), "human": int(n % 7 > 0)}
            for n in range(120)
        ],
        "coins.jsonl": [
            {"p_output2": {"a": 0.5, "b": 0.5}, "human": 1 + n % 2} for n in range(40)
        ],
        "nobody.jsonl": [{"votes": {"a": None, "b": "yes"}, "human": 1}],
    }
    for name, given in rows.items():
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in given))
    lines = {
        line["file"]: line
        for line in lines_of("accuracy/judge_votes.py", "--data", str(tmp_path))
    }
    assert sorted(lines) == ["coins.jsonl", "copies.jsonl", "one.jsonl", "silent.jsonl"]
    assert "nearly one judge" in lines["silent.jsonl"]["warning"]
    assert (
        lines["copies.jsonl"]["default_panel"] == lines["copies.jsonl"]["best_single"]
    )
    assert lines["coins.jsonl"]["default_panel"] == 0.5
    assert lines["coins.jsonl"]["ece_platt"] is None
    folder = tmp_path / "probes"
    folder.mkdir()
    probes = [
        {"exists": n % 2, "topic": "t", "direct_votes": ["Y?", None][: 1 + n % 2]}
        for n in range(40)
    ]
    (folder / "probes.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in probes)
    )
    (line,) = lines_of("accuracy/hallucinated_references.py", "--data", str(folder))
    assert (line["items"], line["ece_calibrated"], line["third_answers"]) == (
        40,
        None,
        40,
    )


def test_the_bars_of_the_packer_in_short() -> None:
    command = [
        sys.executable,
        "benchmarks/judging/packer.py",
        "--cases",
        "16",
        "--kilobytes",
        "150",
        "--no-tokens",
    ]
    line = json.loads(
        subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    )
    assert line["included"] >= 0.95
    assert line["coverage_reported"] == 16
    assert (line["wrong"], line["over_budget"]) == (0, 0)
    assert line["unfindable"]["wrong"] == 0
    assert (
        line["unfindable"]["abstained"]
        == line["unfindable"]["cases"] - line["unfindable"]["included"] * 2
    )


def test_hostile_text_is_found_in_every_field_and_form() -> None:
    folder = ROOT / "tests" / "judging" / "attacks"
    attacks = (str(folder / "further.toml"), str(folder / "held_out.toml"))
    (line,) = lines_of("judging/hostile_fields.py", "--attacks", *attacks)
    caught = line["caught"]
    places = [share for key, share in caught.items() if key.startswith("place ")]
    assert line["attacks"] >= 130
    assert caught["all"] >= 0.85
    assert max(places) - min(places) <= 0.03
    assert line["honest"] >= 150
    assert line["false_alarms"] <= 0.01
