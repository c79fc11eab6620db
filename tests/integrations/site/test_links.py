"""Every link, picture and anchor of the built site leads somewhere, and nothing is loaded from another host."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

LOADING = frozenset({"src", "srcset", "data", "poster"})
"""Attributes whose address is loaded with the page; so is the `href` of a `link`."""


_ELEMENT = re.compile(r"<([a-z]+)\s([^<>]*)>")
_ATTRIBUTE = re.compile(r'\b([a-z]+)="([^"]*)"')
"""Sphinx writes attributes in double quotes; a parser would take ten times as long for 20 MB."""


class Addresses:
    """What a page links to, what it loads, and the anchors it has."""

    def __init__(self, page: Path) -> None:
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.anchors: set[str] = set()
        for tag, attributes in _ELEMENT.findall(page.read_text(encoding="utf-8")):
            for name, value in _ATTRIBUTE.findall(attributes):
                self._add(tag, name, unescape(value))

    def _add(self, tag: str, name: str, value: str) -> None:
        if name == "id":
            self.anchors.add(value)
        elif name in LOADING or (tag == "link" and name == "href"):
            self.loads.add(value)
        elif name == "href":
            self.links.add(value)


@cache
def addresses(page: Path) -> Addresses:
    return Addresses(page)


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def is_dead(page: Path, target: str) -> bool:
    """Whether a relative address names no file, or an anchor that the file lacks."""
    address, anchor = urldefrag(urljoin(page.as_uri(), target))
    file = Path(unquote(urlsplit(address).path))
    if not file.is_file():
        return True
    return bool(anchor) and unquote(anchor) not in addresses(file).anchors


def test_the_site_has_its_pages(site: Path) -> None:
    assert len(pages(site)) > 90


def test_no_link_is_dead(site: Path) -> None:
    dead = [
        f"{page.relative_to(site)}: {target}"
        for page in pages(site)
        for target in sorted(addresses(page).links | addresses(page).loads)
        if not (urlsplit(target).scheme or urlsplit(target).netloc)
        and is_dead(page, target)
    ]
    assert dead == []


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    loaded = [
        f"{page.relative_to(site)}: {target}"
        for page in pages(site)
        for target in addresses(page).loads
        if urlsplit(target).netloc
    ]
    assert loaded == []


def test_no_style_or_script_names_another_host(site: Path) -> None:
    """The words that load a file: `url(...)` and `@import` in styles, `import` and `fetch` in scripts."""
    words = ("url(http", 'url("http', "url(//", "@import", 'import("http', "fonts.g")
    named = [
        f"{file.relative_to(site)}: {word}"
        for file in [*site.rglob("*.css"), *site.rglob("*.js")]
        for word in (*words, 'fetch("http', "cdn.", "unpkg")
        if word in file.read_text(encoding="utf-8")
    ]
    assert named == []
