"""The built site in Chromium: it asks no other host, its search finds pages, it is readable at two widths."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

expect.set_options(timeout=60_000)

VISITED = (
    "docs/index.html",
    "docs/explanation/judge/votes.html",
    "docs/generated/commands.html",
    "docs/reference/failure-codes.html",
    "search.html?q=votes",
)


@pytest.mark.parametrize("visited", VISITED)
def test_no_request_leaves_the_site(page: Page, address: str, visited: str) -> None:
    hosts: set[str] = set()
    faults: list[str] = []
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda request: faults.append(request.url))
    page.goto(f"{address}/{visited}", wait_until="networkidle")
    assert hosts == {urlsplit(address).netloc}
    assert faults == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("certified threshold", "docs/explanation/judge/escalation.html"),
        ("UNAUTHORIZED_PAYMENT", "docs/reference/failure-codes.html"),
        ("fail-under", "docs/generated/commands.html"),
        ("judge_opinion", "docs/generated/tables-and-views.html"),
    ],
)
def test_the_search_finds(page: Page, address: str, words: str, found: str) -> None:
    page.goto(f"{address}/docs/index.html")
    page.locator("input.sidebar-search").fill(words)
    page.locator("input.sidebar-search").press("Enter")
    expect(page.locator("#search-results p.search-summary")).to_contain_text(
        re.compile("found|finished", re.IGNORECASE)
    )
    links = page.locator("#search-results ul.search a").evaluate_all(
        "links => links.map(link => link.href)"
    )
    assert any(urlsplit(link).path == f"/{found}" for link in links), links


def test_the_search_works_from_a_file(page: Page, site: Path) -> None:
    page.goto(f"{(site / 'search.html').as_uri()}?q=rollback")
    expect(page.locator("#search-results ul.search a").first).to_be_visible()


def test_the_first_address_leads_to_the_start_page(page: Page, address: str) -> None:
    page.goto(f"{address}/")
    page.wait_for_url(f"{address}/docs/index.html")
    expect(page.get_by_role("heading", level=1)).to_contain_text("judgemesh")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200])
@pytest.mark.parametrize("visited", VISITED[:4])
def test_no_page_is_wider_than_the_window(
    browser: Browser, address: str, visited: str, width: int, scheme: str
) -> None:
    page = browser.new_page(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page.goto(f"{address}/{visited}")
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.close()
    assert wide <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_of_pictures_can_be_read(
    browser: Browser, address: str, scheme: str
) -> None:
    """The text of plots has the colour of the page's text, in the scheme that a reader chose on the page too."""
    page = browser.new_page(color_scheme="light")
    page.goto(f"{address}/docs/explanation/judge/votes.html")
    page.evaluate("scheme => document.body.dataset.theme = scheme", scheme)
    colours = page.evaluate(
        """() => [
            getComputedStyle(document.querySelector('figure.picture svg text')).fill,
            getComputedStyle(document.querySelector('article p')).color,
        ]"""
    )
    page.close()
    assert colours[0] == colours[1]
