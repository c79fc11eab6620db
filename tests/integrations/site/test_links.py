"""Every link, picture and anchor of the built site leads somewhere, and nothing is loaded from another host."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from bs4 import BeautifulSoup

LOADS = ("src", "srcset", "data", "poster")
"""Attributes whose address is loaded with the page; so is that of `link`."""


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


@cache
def parsed(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(page: Path) -> frozenset[str]:
    return frozenset(str(found["id"]) for found in parsed(page).find_all(id=True))


def targets(page: Path) -> list[str]:
    """What the page links to or loads."""
    return [
        str(found[name])
        for name in ("href", *LOADS)
        for found in parsed(page).find_all(attrs={name: True})
    ]


def test_the_site_has_its_pages(site: Path) -> None:
    assert len(pages(site)) > 90


def test_no_link_is_dead(site: Path) -> None:
    dead: list[str] = []
    for page in pages(site):
        for target in targets(page):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            address, anchor = urldefrag(urljoin(page.as_uri(), target))
            file = Path(unquote(urlsplit(address).path))
            if not file.is_file():
                dead.append(f"{page.relative_to(site)}: {target}")
            # The pages of search and index make their anchors by script.
            elif (
                anchor
                and file.suffix == ".html"
                and unquote(anchor) not in anchors(file)
            ):
                dead.append(f"{page.relative_to(site)}: {target} has no such anchor")
    assert dead == []


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    loaded: list[str] = []
    for page in pages(site):
        found = parsed(page)
        addresses = [str(link.get("href")) for link in found.find_all("link")]
        addresses += [
            str(element[name])
            for name in LOADS
            for element in found.find_all(attrs={name: True})
        ]
        loaded += [
            f"{page.relative_to(site)}: {address}"
            for address in addresses
            if urlsplit(address).netloc
        ]
    assert loaded == []


def test_no_style_or_script_names_another_host(site: Path) -> None:
    """The words that load a file: `url(...)` and `@import` in styles, `import` and `fetch` in scripts."""
    named = [
        f"{file.relative_to(site)}: {word}"
        for file in [*site.rglob("*.css"), *site.rglob("*.js")]
        for word in (
            "url(http",
            'url("http',
            "url(//",
            "@import",
            'import("http',
            'fetch("http',
            "fonts.g",
            "cdn.",
            "unpkg",
        )
        if word in file.read_text(encoding="utf-8")
    ]
    assert named == []
