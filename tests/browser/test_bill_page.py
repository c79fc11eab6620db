"""The page of a bill in a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..e2e.command import judgemesh
from .accessibility import violations
from .conftest import Visit

STEPS = Path(__file__).parents[2] / "examples" / "cost_profile" / "steps.jsonl"
HOSTILE = (
    "</script><script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)>"
    "\u202e\u2028"
)
STATES = ("MCP_CALL", "RETRIEVE", "THINK")


@pytest.fixture(scope="module")
def bill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bill")
    judgemesh("trace", "bill", STEPS, "-o", "bill.html", cwd=folder)
    return folder / "bill.html"


@pytest.mark.parametrize(
    "visit",
    [{"color_scheme": "light"}, {"color_scheme": "dark"}],
    indirect=True,
    ids=["light", "dark"],
)
def test_the_bill_is_accessible_in_both_colour_schemes(
    bill: Path, visit: Visit
) -> None:
    page = visit.open(bill)
    page.wait_for_selector("figure.chart svg")
    visit.check_quiet(bill)
    assert violations(page) == []


def test_a_chart_has_a_bar_for_each_state_with_a_cost(bill: Path, visit: Visit) -> None:
    page = visit.open(bill)
    chart = page.get_by_role("img", name="Share of cost by state")
    chart.wait_for()
    assert "RETRIEVE" in chart.inner_html()
    assert chart.locator("rect").count() == 6


@pytest.mark.parametrize(
    "visit", [{"viewport": {"width": 360, "height": 800}}], indirect=True
)
def test_nothing_is_cut_on_a_phone(bill: Path, visit: Visit) -> None:
    page = visit.open(bill)
    page.wait_for_selector("figure.chart svg")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 360


def test_nothing_of_a_hostile_trace_runs(tmp_path: Path, visit: Visit) -> None:
    rows = [
        {
            "trace_id": f"t{HOSTILE}",
            "step_id": number,
            "state_type": state,
            "model_name": HOSTILE,
            "tool_name": HOSTILE,
            "response_tokens_raw": 5,
            "tool_cost": 1,
            "input_tokens_total": 3,
            "output_tokens": 1,
        }
        for number, state in enumerate(STATES)
    ]
    trace = tmp_path / "hostile.jsonl"
    trace.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    judgemesh("trace", "bill", trace, "-o", "bill.html", cwd=tmp_path)
    page = visit.open(tmp_path / "bill.html")
    page.wait_for_selector("figure.chart svg")
    visit.check_quiet(tmp_path / "bill.html")
    assert page.locator("img").count() == 0
    assert "<script>alert(1)</script>" in page.locator("h1").inner_text()
