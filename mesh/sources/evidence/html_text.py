"""The text and the bibliographic metadata of an HTML page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.sources.evidence.document import (
    MAX_TEXT_CHARS,
    MAX_TITLE_CHARS,
    SourceDocument,
    not_installed,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_MAX_DEPTH: Final = 500
_MAX_META_CHARS: Final = 1_000
_MAX_AUTHORS: Final = 200
_TITLE_NAMES: Final = ("citation_title", "dc.title", "og:title")
_DATE_NAMES: Final = ("citation_publication_date", "citation_date", "dc.date")
_INVISIBLE_TAGS: Final = ("script", "style", "noscript", "template", "head")
_ELEMENT = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_HIDDEN = re.compile(r"<(?:script|style)\b[^<]{0,100000}", re.IGNORECASE)
_TAGS = re.compile(r"<[^<>]{0,2000}>")
_WITHOUT_END_TAG: Final = frozenset(
    {
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "p", "li", "td", "tr", "th", "dt",
        "dd", "option", "source", "track", "wbr",
    }
)  # fmt: skip


def read_html(markup: str) -> SourceDocument:
    """The page's visible text, with title, authors and year where its metadata names them.

    Raises:
        ConfigError: selectolax is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise not_installed("HTML", error) from None
    if _depth(markup) > _MAX_DEPTH:
        without_tags = _TAGS.sub(" ", _HIDDEN.sub(" ", markup))
        # Without a parser some text may be lost.
        return SourceDocument(text=" ".join(without_tags.split()), is_whole=False)
    tree = LexborHTMLParser(markup)
    metadata = _metadata(tree)
    title_element = tree.css_first("title")
    element_title = title_element.text(strip=True) if title_element else ""
    titles = _values(metadata, _TITLE_NAMES)
    title = titles[0] if titles else ""
    years = [date[:4] for date in _values(metadata, _DATE_NAMES)]
    years = [year for year in years if year.isdecimal()]
    text = _visible_text(tree)
    return SourceDocument(
        text=text[:MAX_TEXT_CHARS],
        title=title or element_title[:MAX_TITLE_CHARS],
        authors=tuple(metadata.get("citation_author", [])[:_MAX_AUTHORS]),
        year=int(years[0]) if years else None,
        is_whole=len(text) <= MAX_TEXT_CHARS,
    )


def _metadata(tree: LexborHTMLParser) -> dict[str, list[str]]:
    """The contents of the `meta` elements by their folded name."""
    metadata: dict[str, list[str]] = {}
    for node in tree.css("meta[content]"):
        name = node.attributes.get("name") or node.attributes.get("property") or ""
        content = str(node.attributes.get("content") or "").strip()
        metadata.setdefault(name.casefold(), []).append(content[:_MAX_META_CHARS])
    return metadata


def _values(metadata: Mapping[str, list[str]], names: Sequence[str]) -> list[str]:
    return [value for name in names for value in metadata.get(name, [])]


def _visible_text(tree: LexborHTMLParser) -> str:
    """The text of the page. Removes the invisible elements from the tree."""
    for tag in _INVISIBLE_TAGS:
        for node in tree.css(tag):
            node.decompose()
    body = tree.body
    return body.text(separator=" ", strip=True) if body else ""


def _depth(markup: str) -> int:
    """How deep the elements are nested at most.

    The time of HTML parsers grows with its square; no real page is that deep.
    """
    depth = deepest = 0
    for element in _ELEMENT.finditer(markup):
        is_end, tag = element[1], element[2].casefold()
        if tag in _WITHOUT_END_TAG:
            continue
        depth = max(0, depth - 1) if is_end else depth + 1
        deepest = max(deepest, depth)
    return deepest
