"""The report of the reference set, as `judgemesh grade -o report.html` writes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from ..e2e.command import judgemesh
from .accessibility import violations
from .conftest import Visit

SET = Path(__file__).parents[2] / "examples" / "reference_set"
FAMILIES = ("research", "triage")
SCHEMES = [{"color_scheme": "light"}, {"color_scheme": "dark"}]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reference")
    files = [SET / family / "results.jsonl" for family in sorted(FAMILIES)]
    arguments = ("--contracts", SET, "--ledger", "ledger.db", "--fail-under", "0")
    judgemesh("grade", *files, *arguments, "-o", "report.html", cwd=folder)
    return folder / "report.html"


def test_two_clicks_lead_to_a_result_with_the_most_frequent_code(
    report: Path, visit: Visit
) -> None:
    page = visit.open(report)
    page.wait_for_selector("body[data-ready]")
    most = page.locator("table.codes tbody a").first
    code = most.inner_text()
    most.click()
    expect(page.locator("#shown")).to_contain_text("of")
    page.locator(".tabulator-row a").first.click()
    expect(page.locator("#part .code").first).to_be_visible()
    assert code in page.locator("#part header .code").all_inner_texts()
    visit.check_quiet(report)


def test_a_bar_of_the_chart_is_a_link_to_its_results(
    report: Path, visit: Visit
) -> None:
    page = visit.open(report)
    page.wait_for_selector("body[data-ready]")
    page.locator("figure[data-label='Results by failure code'] a").first.click()
    expect(page.locator("#shown")).to_contain_text("of")
    assert "#results?code=" in page.url


@pytest.mark.parametrize("visit", SCHEMES, indirect=True, ids=["light", "dark"])
def test_first_screen_and_result_are_accessible(report: Path, visit: Visit) -> None:
    page = visit.open(report)
    page.wait_for_selector("body[data-ready]")
    assert violations(page) == []
    page.locator(".tabulator-row a").first.click()
    page.locator("#part h1").wait_for()
    assert violations(page) == []
    visit.check_quiet(report)


def test_the_evidence_of_a_verdict_is_a_step_away(report: Path, visit: Visit) -> None:
    page = visit.open(report)
    page.wait_for_selector("body[data-ready]")
    page.locator("#filters [name=kind]").select_option("fail")
    page.locator(".tabulator-row a").first.click()
    page.locator("#part h1").wait_for()
    link = page.locator("#verdicts .refs a").first
    link.click()
    expect(page.locator(".pointed")).to_be_visible()


_OUTSIDE = """[...document.querySelectorAll("figure.chart svg text")].filter((text) => {
  const own = text.getBoundingClientRect();
  const chart = text.closest("figure").getBoundingClientRect();
  return own.left < chart.left - 1 || own.right > chart.right + 1;
}).map((text) => text.textContent)"""


@pytest.mark.parametrize(
    "visit", [{"viewport": {"width": 360, "height": 800}}], indirect=True
)
def test_nothing_is_cut_on_a_phone(report: Path, visit: Visit) -> None:
    page = visit.open(report)
    page.wait_for_selector("body[data-ready]")
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) <= 360
    assert page.evaluate(_OUTSIDE) == []
    page.locator(".tabulator-row a").first.click()
    page.locator("#part h1").wait_for()
    assert page.evaluate(width) <= 360


@pytest.mark.parametrize(
    "visit", [{"viewport": {"width": 1280, "height": 900}}], indirect=True
)
def test_no_column_of_the_list_is_cut(report: Path, visit: Visit) -> None:
    page = visit.open(report)
    page.wait_for_selector("body[data-ready]")
    list_of_results = page.locator(".tabulator-tableholder")
    assert list_of_results.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    left_out = page.locator("#left-out")
    expect(left_out).to_contain_text("the page of a result shows them")
    page.set_viewport_size({"width": 2000, "height": 900})
    expect(left_out).to_be_empty()
    expect(page.get_by_role("columnheader", name="task")).to_be_visible()


def test_moments_are_shown_as_people_write_them(report: Path, visit: Visit) -> None:
    page = visit.open(report)
    page.wait_for_selector("body[data-ready]")
    page.locator(".tabulator-row a").first.click()
    page.locator("#part h1").wait_for()
    started = page.locator("#part dt", has_text="started").locator("+ dd")
    expect(started).to_have_text(re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC$"))


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_the_figures_stand_there_without_scripts(report: Path, visit: Visit) -> None:
    page = visit.open(report)
    expect(page.locator("h1").first).to_contain_text("passed")
    expect(page.get_by_label("Gate rate")).to_contain_text("%")
    expect(page.locator("table.codes tbody tr").first).to_be_visible()
