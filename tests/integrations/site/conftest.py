"""The built site, served on loopback, and a browser that notes every request."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[3]
SITE = ROOT / "build/site"
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
PATIENCE_MS = 60_000
"""How long a state may take on a machine that is busy with other things."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name of the base class)
        """Say nothing of each request."""


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site; `make site` and `make integrations` build it."""
    assert (SITE / "docs/index.html").is_file(), "run make site first"
    return SITE


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The installed Chromium; without one these tests are skipped, but not in continuous integration."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.environ.get("CI") != "true":
        pytest.skip("no chromium is installed: `make chromium`")
    assert found is not None, "no chromium is installed: `make chromium`"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=found, args=list(FLAGS), timeout=PATIENCE_MS
        )
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of 1200 x 900."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(PATIENCE_MS)
    yield page
    page.close()
