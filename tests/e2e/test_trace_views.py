"""`judgemesh trace list` and `trace show`, as a user looks at them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .command import judgemesh, summary

RUNS = Path(__file__).parents[1] / "tracing" / "domains" / "runs"


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_run_fits_the_terminal(tmp_path: Path, columns: int) -> None:
    shown = judgemesh(
        "trace", "show", "payment", RUNS, cwd=tmp_path, COLUMNS=str(columns)
    ).stdout
    lines = shown.splitlines()
    assert max(map(len, lines)) <= columns
    (failed,) = [line for line in lines if "✗" in line]
    assert "create_pay" in failed
    assert "30 s" in failed
    assert any(line.startswith("danger: The same write twice") for line in lines)
    assert ("━━" in shown) is (columns >= 80)
    assert ("88.2%" in shown) is (columns >= 80)
    steps = [line for line in lines if line.split()[:1] and line.split()[0].isdigit()]
    assert len(steps) == 7


def test_steps_at_the_same_time_are_marked(tmp_path: Path) -> None:
    shown = judgemesh("trace", "show", RUNS / "fan_out.jsonl", cwd=tmp_path).stdout
    assert shown.count("‖ web_search") == 6
    data = summary(
        judgemesh("trace", "show", RUNS / "fan_out.jsonl", "--json", cwd=tmp_path)
    )
    assert [step["parallel"] for step in data["steps"]] == [False, *[True] * 6, False]


def test_long_runs_and_lists_say_how_much_they_leave_out(tmp_path: Path) -> None:
    shown = judgemesh(
        "trace", "show", "research", RUNS, "--limit", "5", cwd=tmp_path
    ).stdout
    assert "and 12 more (--limit 0 shows all)" in shown
    listed = judgemesh("trace", "list", RUNS, "--limit", "3", cwd=tmp_path).stdout
    assert "and 11 more (--limit 0 shows all)" in listed
    bill = judgemesh("trace", "bill", RUNS, cwd=tmp_path).stdout
    assert "and 2 more" in bill


def test_a_list_is_narrowed_sorted_and_grouped(tmp_path: Path) -> None:
    def rows(*options: str) -> list[dict[str, object]]:
        done = judgemesh("trace", "list", RUNS, "--json", *options, cwd=tmp_path)
        found: list[dict[str, object]] = summary(done)["rows"]
        return found

    assert [row["name"] for row in rows("--agent", "payer")] == ["payment"]
    assert rows("--sort", "findings")[0]["name"] == "payment"
    assert rows("--sort", "tokens")[0]["name"] == "research"
    by_agent = {row["name"]: row["runs"] for row in rows("--group-by", "agent")}
    assert by_agent["desk"] == 2
    assert len(rows("--since", "2026-03-02", "--until", "2026-03-03")) == 14
    late = judgemesh(
        "trace", "list", RUNS, "--since", "2026-04-01", cwd=tmp_path, expect=2
    )
    assert "holds no trace of that time" in late.stderr


def test_the_ledger_shows_the_same(tmp_path: Path) -> None:
    ledger = ("--ledger", "ledger.db")
    judgemesh("trace", "import", RUNS, *ledger, "--quiet", cwd=tmp_path)
    for command in (("list",), ("findings",)):
        of_files = judgemesh("trace", *command, RUNS, "--json", cwd=tmp_path)
        of_ledger = judgemesh("trace", *command, *ledger, "--json", cwd=tmp_path)
        assert _unordered(of_files.stdout) == _unordered(of_ledger.stdout)
    shown = judgemesh("trace", "show", "pay", *ledger, cwd=tmp_path).stdout
    assert "create_payment" in shown
    several = judgemesh("trace", "show", "r", *ledger, cwd=tmp_path, expect=2)
    assert "is the beginning of several ids" in several.stderr


def _unordered(text: str) -> dict[str, object]:
    """The findings by run and code: a ledger reads the runs in another order."""
    data = json.loads(text)
    rows = data.get("rows") or data.get("findings")
    return {
        f"{row.get('name')}{row.get('trace_id')}{row.get('code')}": row for row in rows
    }


def test_what_is_wrong_is_said_in_one_line(tmp_path: Path) -> None:
    for options, part in (
        (("--sort", "size"), "--sort is one of"),
        (("--group-by", "colour"), "--group-by is one of"),
        (("--since", "soon"), "--since is no time"),
    ):
        done = judgemesh("trace", "list", RUNS, *options, cwd=tmp_path, expect=2)
        assert part in done.stderr
        assert done.stderr.count("\n") == 1


def test_two_currencies_of_a_step_stand_side_by_side(tmp_path: Path) -> None:
    row = {
        "trace_id": "mixed",
        "step_id": 1,
        "state_type": "RETRIEVE",
        "retriever_name": "kb",
        "tool_cost": {"amount": 0.5, "currency": "RMB"},
        "compute_cost": {"amount": 0.2, "currency": "USD"},
    }
    (tmp_path / "mixed.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    shown = judgemesh("trace", "show", "mixed.jsonl", cwd=tmp_path).stdout
    assert "0.5 RMB + 0.2 USD" in shown
    assert "0.7" not in shown
