"""Chromium of the system, driven by Playwright. `make chromium` installs it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 60_000
"""How long a state may take on a machine that is busy with other things."""


# Playwright runs an event loop in this thread for as long as it is started; tests of other packages need theirs.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None and os.environ.get("CI") != "true":
        pytest.skip("no chromium is installed: `make chromium`")
    assert path is not None, "no chromium is installed: `make chromium`"
    with sync_playwright() as playwright:
        # Each launch has a profile of its own.
        opened = playwright.chromium.launch(
            executable_path=path, args=list(FLAGS), timeout=PATIENCE_MS
        )
        yield opened
        opened.close()


class Visit:
    """A page, and what it did beside showing itself."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.said: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", self._dismiss)

    def _dismiss(self, dialog: object) -> None:
        self.said.append(f"dialog: {dialog}")

    def open(self, path: Path, fragment: str = "") -> Page:
        """The page of a file, loaded."""
        self.page.goto(path.as_uri() + fragment)
        return self.page

    def check_quiet(self, path: Path) -> None:
        """Nothing was asked of anybody, nothing went wrong, nothing ran that is not ours."""
        inside = (path.as_uri(), "blob:", "data:")
        assert [url for url in self.requests if not url.startswith(inside)] == []
        assert self.said == []


@pytest.fixture(params=[{}], ids=["light"])
def visit(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A fresh page; a test gives other options of its context by indirect parameters."""
    options: dict[str, Any] = {
        "viewport": {"width": 1280, "height": 900},
        **request.param,
    }
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    yield Visit(context.new_page())
    context.close()
