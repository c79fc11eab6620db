"""`judgemesh trace bill`, `trace findings` and `prices`, as a user calls them."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

STEPS = Path(__file__).parents[2] / "examples" / "cost_profile" / "steps.jsonl"
HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>"\x1b[31m'


def test_the_bill_says_what_it_came_to(cli: Any) -> None:
    done = cli("trace", "bill", str(STEPS))
    assert done.returncode == 0
    flat = " ".join(done.stdout.split())
    assert flat.startswith("The run cost 3.82 RMB. The dominant cost sources were")
    for part in (
        "RETRIEVE",
        "model_x",
        "knowledge_base_search",
        "skill_instruction",
        "473.3x",
        "2026-04-28",
    ):
        assert part in flat


def test_the_bill_as_json_and_as_a_page(cli: Any, tmp_path: Path) -> None:
    done = cli(
        "trace",
        "bill",
        str(STEPS),
        "--json",
        "-o",
        "out/bill.html",
        "-o",
        "out/bill.json",
    )
    data = json.loads(done.stdout)
    assert (data["total_cost"], data["malformed"]) == (3.82, 0)
    assert (
        json.loads((tmp_path / "out" / "bill.json").read_text(encoding="utf-8"))[
            "total_cost"
        ]
        == 3.82
    )
    page = (tmp_path / "out" / "bill.html").read_text(encoding="utf-8")
    assert "3.82 RMB" in page
    assert "High REFINE cost" in page


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_nothing_of_a_hostile_trace_reaches_the_page_or_the_terminal(
    cli: Any, tmp_path: Path
) -> None:
    row = {
        "trace_id": f"t{HOSTILE}",
        "step_id": 1,
        "state_type": "MCP_CALL",
        "model_name": HOSTILE,
        "tool_name": HOSTILE,
        "response_tokens_raw": 5,
        "tool_cost": 1,
        "input_tokens_total": 3,
        "output_tokens": 1,
    }
    (tmp_path / "hostile.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = cli("trace", "bill", "hostile.jsonl", "-o", "bill.html")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout

    page = (tmp_path / "bill.html").read_text(encoding="utf-8")
    parser = _Tags()
    parser.feed(page)
    names = {tag for tag, _ in parser.tags}
    assert "img" not in names
    assert not {
        name
        for _, attrs in parser.tags
        for name in attrs
        if name.startswith("on")
        or name == "src"
        or not (attrs.get("href") or "#").startswith("#")
    }
    (csp,) = [
        attrs for tag, attrs in parser.tags if tag == "meta" and "http-equiv" in attrs
    ]
    policy = csp["content"] or ""
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "&lt;script&gt;" in page


def test_findings_of_one_run_with_their_patches(cli: Any) -> None:
    shown = cli("trace", "findings", str(STEPS))
    assert "HIGH_REFINE_COST" in shown.stdout
    assert "only the tokens that are modified are written" in " ".join(
        shown.stdout.split()
    )
    data = json.loads(cli("trace", "findings", str(STEPS), "--json").stdout)
    assert data["runs"] == 1
    assert {one["code"] for one in data["findings"]} == {
        one["code"] for one in data["patterns"]
    }
    assert {one["finding"] for one in data["suggestions"]} == {
        one["code"] for one in data["findings"]
    }


def test_the_ledger_gives_the_same_bill_and_joins_it_with_outcomes(
    cli: Any, tmp_path: Path
) -> None:
    assert cli("trace", "import", str(STEPS), "--ledger", "ledger.db").returncode == 0
    bill = json.loads(cli("trace", "bill", "--ledger", "ledger.db", "--json").stdout)
    assert bill == json.loads(cli("trace", "bill", str(STEPS), "--json").stdout)
    assert "join" not in json.loads(
        cli("trace", "findings", "--ledger", "ledger.db", "--json").stdout
    )

    contract = "task_id: trip\nsuccess_criteria:\n  must_include: [booking_number]\n"
    (tmp_path / "contract.yaml").write_text(contract, encoding="utf-8")
    rows = [
        {
            "result_id": "r1",
            "task_id": "trip",
            "trace_id": "task_20260428_001",
            "output": {"outputs": outputs},
        }
        for outputs in ({"booking_number": "QX7RT2"},)
    ]
    rows.append({"result_id": "r2", "task_id": "trip", "output": "no booking"})
    (tmp_path / "results.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    cli(
        "grade",
        "results.jsonl",
        "--contracts",
        "contract.yaml",
        "--ledger",
        "ledger.db",
    )

    join = json.loads(
        cli("trace", "findings", "--ledger", "ledger.db", "--json").stdout
    )["join"]
    assert (join["results"], join["with_trace"], join["hard_successes"]) == (2, 1, 1)
    costs = {
        line["state_type"]: line["cost_per_hard_success"]
        for line in join["cost_per_hard_success_by_state"]
    }
    assert costs["RETRIEVE"] == [{"amount": 1.28, "currency": "RMB"}]
    shown = cli("trace", "findings", "--ledger", "ledger.db").stdout
    assert "agent cost per hard success, by state" in shown
    assert "states before failures" in shown
    assert (
        "agent cost per hard success, by state"
        in cli("report", "--ledger", "ledger.db").stdout
    )
    report = json.loads(cli("report", "--ledger", "ledger.db", "--json").stdout)
    assert report["traces"] == join


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("bill",), "give trace files, or --ledger URL"),
        (("bill", "missing.jsonl"), "missing.jsonl: does not exist"),
        (("bill", str(STEPS), "--trace", "nobody"), "holds no trace 'nobody'"),
        (
            ("bill", str(STEPS), "-o", "bill.pdf"),
            "bill.pdf: a bill is written as .html or .json",
        ),
        (
            ("findings", str(STEPS), "--ledger", "x.db"),
            "give trace files, or --ledger URL",
        ),
        (("findings", "--ledger", "none.db"), "does not exist"),
    ],
)
def test_a_mistake_is_one_line(cli: Any, arguments: tuple[str, ...], said: str) -> None:
    done = cli("trace", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_prices_of_one_model_and_of_all(cli: Any) -> None:
    data = json.loads(cli("prices", "--model", "openai/gpt-4.1-mini", "--json").stdout)
    (price,) = data["prices"]
    assert (price["price_input_per_million"], price["currency"]) == ("0.40", "USD")
    assert price["price_version"].startswith("judgemesh-")
    assert "anthropic/claude-haiku-4-5" in cli("prices").stdout
    unknown = cli("prices", "--model", "nobody/nothing")
    assert unknown.returncode == 1
    assert "its cost is unknown" in unknown.stderr


INSPECT = """
openai/gpt-4.1-mini: {input: 9, output: 18, input_cache_write: 0, input_cache_read: 4.5}
google/some-model:
  input: 1
  output: 2
"""


def test_a_price_file_of_inspect_goes_first(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "costs.yaml").write_text(INSPECT, encoding="utf-8")
    for model, expected in (
        ("openai/gpt-4.1-mini", "9"),
        ("google/some-model", "1"),
        ("gemini/some-model", "1"),
    ):
        data = json.loads(
            cli("prices", "--prices", "costs.yaml", "--model", model, "--json").stdout
        )
        assert data["prices"][0]["price_input_per_million"] == expected
        assert data["prices"][0]["price_version"].startswith("inspect-")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: {input: 1}", "needs a price 'output'"),
        ("a: {input: 1, output: x}", "output must be a number"),
        ("a: {input: 1, output: 2, cached: 3}", "unknown key 'cached'"),
        ("a: 3", "must be a mapping"),
        ("[1]", "one mapping of model names"),
        ("a: {", "costs.yaml"),
    ],
)
def test_a_bad_price_file_is_one_line(
    cli: Any, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "costs.yaml").write_text(text, encoding="utf-8")
    done = cli("prices", "--prices", "costs.yaml")
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_old_trace_reprices_to_the_cent(cli: Any, tmp_path: Path) -> None:
    """Whatever today's prices are, the bill of a trace that carries its own stays what it was."""
    (tmp_path / "dear.yaml").write_text(
        "model_x: {input: 999, output: 999}\n", encoding="utf-8"
    )
    before = json.loads(cli("trace", "bill", str(STEPS), "--json").stdout)
    after = json.loads(
        cli("trace", "bill", str(STEPS), "--json", "--prices", "dear.yaml").stdout
    )
    assert after == before
