"""The viewer in a browser: keys, filters, links, a run in progress, hostile content, accessibility."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from judgemesh.contracts.report import Gate
from judgemesh.mesh.ledger.labels import HumanLabel
from judgemesh.mesh.ledger.store import Ledger

from ..e2e.command import start
from ..viewer.ledgers import HOSTILE, begin, fill, finish, report_of, take, write
from .accessibility import violations
from .conftest import PATIENCE_MS, Visit

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A ledger with two runs, a hostile one, and one in progress."""
    path = str(tmp_path_factory.mktemp("viewer") / "ledger.db")

    async def make() -> None:
        async with await Ledger.open(path) as opened:
            await fill(opened)
            await begin(opened, "hostile", day=2)
            hostile = report_of(HOSTILE, Gate.FAIL, text=HOSTILE, task_id=HOSTILE)
            await write(opened, "hostile", [hostile], answer=HOSTILE * 5_000)
            await finish(opened, "hostile")
            await begin(opened, "live", day=3)
            await take(opened, "live")

    _alone(make())
    return path


def _alone(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in a thread of its own: Playwright has a loop in this one."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


@pytest.fixture(scope="module")
def site(ledger: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a viewer that runs as a process of its own."""
    command = ("view", ledger, "--port", "0", "--labeler", "ann")
    process = start(*command, cwd=tmp_path_factory.mktemp("site"))
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found is not None
    yield found[0].rstrip("/")
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_MS / 1000) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stdout.close()
    process.stderr.close()


def _open(visit: Visit, site: str, path: str) -> Page:
    visit.page.goto(site + path)
    return visit.page


def _check_quiet(visit: Visit, site: str) -> None:
    """Nothing was asked of anybody else, nothing went wrong, nothing ran that is not ours."""
    assert [url for url in visit.requests if not url.startswith((site, "data:"))] == []
    assert visit.said == []


PATHS = (
    "/",
    "/run?id=old",
    "/result?run=old&id=r000",
    "/failures",
    "/costs",
    "/judges",
    "/labels?run=old",
    "/compare?a=old&b=new",
)


@pytest.mark.parametrize(
    "visit",
    [
        {"color_scheme": "light"},
        {"color_scheme": "dark", "viewport": {"width": 360, "height": 800}},
    ],
    indirect=True,
    ids=["light", "dark-phone"],
)
def test_every_page_is_accessible_and_fits(visit: Visit, site: str) -> None:
    for path in PATHS:
        page = _open(visit, site, path)
        expect(page.locator(".live")).to_have_count(0)
        for chart in page.locator("figure.chart").all():
            expect(chart.locator("svg")).to_have_count(1)
        assert violations(page) == [], path
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0, path
    _check_quiet(visit, site)


def test_filters_and_links_lead_to_the_result(visit: Visit, site: str) -> None:
    page = _open(visit, site, "/")
    page.get_by_role("link", name="old", exact=True).click()
    page.get_by_role("combobox", name="Gate").select_option("undecided")
    page.wait_for_url("**gate=undecided**")
    gates = page.locator("#results .badge")
    assert set(gates.all_inner_texts()) == {"undecided"}
    page.get_by_role("link", name="All results").click()
    page.get_by_label("Id begins with").fill("r12")
    page.get_by_label("Id begins with").press("Enter")
    page.wait_for_url("**q=r12**")
    expect(page.locator("#results tbody tr")).to_have_count(10)
    page.get_by_role("link", name="r120").click()
    expect(page.get_by_role("heading", name="r120")).to_be_visible()
    expect(page.get_by_text("Good day.")).to_be_visible()
    _check_quiet(visit, site)


def test_labels_are_given_with_keys(visit: Visit, site: str, ledger: str) -> None:
    page = _open(visit, site, "/labels?run=new")
    expect(page.get_by_role("heading", name="Is the answer polite?")).to_be_visible()
    status = page.locator(".said")
    page.keyboard.press("s")
    page.wait_for_url("**at=1**")
    page.keyboard.press("o")
    expect(page.get_by_label("Note")).to_be_focused()
    page.keyboard.type("no greeting")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(status).to_contain_text("Written: no for r")
    page.keyboard.press("y")
    expect(status).to_contain_text("Written: yes for r")
    labels = _labels(ledger)
    assert [(label.label, label.note, label.labeler) for label in labels[-2:]] == [
        ("no", "no greeting", "ann"),
        ("yes", None, "ann"),
    ]
    assert len({label.result_id for label in labels[-2:]}) == 2
    page = _open(visit, site, "/result?run=new&id=r005")
    page.keyboard.press("1")
    expect(page.get_by_role("cell", name="complete")).to_be_visible()
    _check_quiet(visit, site)


def _labels(ledger: str) -> list[HumanLabel]:
    found: list[HumanLabel] = []

    async def read() -> None:
        async with await Ledger.open(ledger, read_only=True) as opened:
            found.extend(await opened.labels())

    _alone(read())
    return found


def test_a_run_in_progress_grows_on_the_page(
    visit: Visit, site: str, ledger: str
) -> None:
    page = _open(visit, site, "/run?id=live")
    expect(page.locator("#results")).to_contain_text("No result yet")
    loads: list[str] = []
    page.on("load", lambda _: loads.append("load"))

    async def grade(*, ends: bool) -> None:
        async with await Ledger.open(ledger) as opened:
            name = "second" if ends else "first"
            await write(opened, "live", [report_of(name, Gate.FAIL)], day=3)
            if ends:
                await finish(opened, "live")

    _alone(grade(ends=False))
    expect(page.get_by_role("link", name="first")).to_be_visible()
    expect(page.get_by_text("In progress: 1 result so far")).to_be_visible()
    _alone(grade(ends=True))
    expect(page.get_by_role("link", name="second")).to_be_visible()
    expect(page.locator(".live")).to_have_count(0)
    assert loads == []
    _check_quiet(visit, site)


def test_nothing_of_a_hostile_run_runs(visit: Visit, site: str) -> None:
    for path in (
        "/",
        "/run?id=hostile",
        "/failures?run=hostile",
        "/judges?run=hostile",
        "/labels?run=hostile",
        "/compare?a=hostile&b=old",
    ):
        page = _open(visit, site, path)
        expect(page.locator("main h1")).to_be_visible()
        assert page.locator("img").count() == 0
    page = _open(visit, site, "/run?id=hostile")
    page.locator("#results th a").click()
    expect(page.locator("h1")).to_contain_text("<script>alert(1)</script>")
    expect(page.locator(".text").first).to_contain_text("<script>alert(1)</script>")
    _check_quiet(visit, site)
