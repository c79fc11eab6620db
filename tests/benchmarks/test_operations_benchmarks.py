"""Short forms of the benchmarks about operations: what they promise holds at any size, the figures are the full ones'."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .test_benchmarks import ROOT, line_of


def test_faults_are_never_grades_and_every_request_and_cent_is_on_record() -> None:
    line = line_of("judging/faults.py", "--results", "12", "--seed", "4")
    assert (line["verdicts"], line["wrong"]) == (60, 0)
    assert line["attempts"] == line["requests"] > 60
    assert line["faults"] == line["failed_attempts"] > 0
    assert line["cost"] == pytest.approx(line["bill"], abs=1e-9)
    assert line["right"] + sum(line["lost"].values()) == 60


def test_one_warming_call_saves_two_thirds() -> None:
    line = line_of("judging/economy.py", "--results", "4", "--latency-ms", "30")
    assert line["warm_ratio"] <= line["bar"] < 1 < line["at_once_ratio"]


def test_a_judge_call_with_ledger_stays_near_the_bare_request() -> None:
    line = line_of(
        *("speed/judge_calls.py", "--results", "40", "--latency-ms", "5"),
        *("--rounds", "3"),
    )
    assert line["calls"] == 200
    found = line["at_once_64"]
    assert found["http_cpu_ms"] > found["bare_cpu_ms"] > 0
    # A generous bound: other work on the machine changes the ratio by a third.
    assert found["http_x_bare"] < 16


def test_a_judge_call_takes_the_same_steps_each_time() -> None:
    first, second = (line_of("speed/steps.py", "--results", "8") for _ in range(2))
    assert first["calls"] == 40
    assert first["steps"] > first["asyncio"] > first["functions"] > 0
    assert first["steps"] == pytest.approx(second["steps"], rel=0.05)


def test_economy_saves_calls_and_leaves_rates_unbiased() -> None:
    line = line_of("speed/economy.py", "--results", "30", "--seeds", "8")
    assert line["fixed_5"]["calls"] == 30 * 3 * 5
    assert line["economy"]["calls"] < line["lead"]["calls"] < line["fixed_5"]["calls"]
    assert abs(line["bias_z"]) <= 3


def test_several_workers_grade_what_one_process_grades() -> None:
    line = line_of(
        "speed/cluster.py", "--results", "1500", "--rounds", "1", "--workers", "2"
    )
    assert line["workers_1"] == line["workers_1"] | {"speedup": 1.0, "cpu_ratio": 1.0}
    assert line["workers_2"]["cpu_ratio"] > 0


def test_a_halo_is_noticed_and_asking_together_is_billed_to_the_cent() -> None:
    line = line_of("judging/halo.py", "--runs", "2", "--calls", "40", "--results", "3")
    assert line["ok"]
    assert line["halo_0.6"]["alarms"] == 1.0
    assert (
        line["lead_8"]["calls"]
        < line["lead_4"]["calls"]
        < line["lead_1"]["calls"]
        == 48
    )
    assert line["cost_share"] < 0.8


def test_several_answers_to_one_prompt_save_input_and_cost_the_rotation() -> None:
    line = line_of(
        "judging/choices.py",
        "--results",
        "2",
        "--tokens",
        "1500",
        "--prices",
        "read .25",
        "--trials",
        "3000",
    )
    assert all(
        row["requests"] == [20, 10] and 0.2 < row["saved"] < 0.52
        for row in line["money"]
    )
    assert line["errors"][-1]["shared"] > line["errors"][-1]["rotating"]


def test_children_that_escape_are_noticed_named_and_ended() -> None:
    line = line_of("rollback.py", "--tries", "3")
    assert (line["tries"], line["noticed"], line["named"], line["killed"]) == (
        *(3, 3),
        *(3, 3),
    )
    assert line["restored"]
    assert line["outside"] == 3 or line["not_seen"]


def test_every_page_of_the_viewer_answers_beside_its_bare_sql() -> None:
    # The limit is for an idle machine and a million results; here each page is asked whether it answers at all.
    line = line_of(
        *("view.py", "--results", "300", "--rounds", "1", "--limit-ms", "60000")
    )
    assert len(line["pages"]) > 20
    for page in line["pages"].values():
        assert page["ms"] > page["sql_ms"] >= 0
    assert set(line["ready_s"]) == {"labels", "compare"}


def test_a_misspelt_peer_is_refused_before_anything_is_measured() -> None:
    script = ROOT / "benchmarks" / "speed" / "performance.py"
    for peer, problem in (
        ("nope=python", "no peer is called 'nope'; there are autoevals, deepeval"),
        ("autoevals=/absent/python", "autoevals: no interpreter '/absent/python'"),
    ):
        done = subprocess.run(
            [sys.executable, str(script), "--peer", peer],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert problem in done.stderr
