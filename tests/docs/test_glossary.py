"""One word for each thing: no page uses a word that the glossary replaces, and each word of the glossary is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .pages import DECISIONS, PAGES, ROOT

GLOSSARY = ROOT / "docs/reference/glossary.md"
_ROW = re.compile(r"^\| ([a-z ]+) \| (.+?) \| (.*?) ?\|$", re.MULTILINE)
ROWS = _ROW.findall(GLOSSARY.read_text(encoding="utf-8"))[1:]
REPLACED = {
    other: word for word, _, others in ROWS for other in others.split(", ") if other
}


def prose(page: Path) -> str:
    """The text of a page without code: in a command or a field name other words can stand."""
    text = re.sub(
        r"^```.*?^```$",
        "",
        page.read_text(encoding="utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)


def test_the_glossary_is_in_order() -> None:
    words = [word for word, _, _ in ROWS]
    assert len(words) > 30
    assert words == sorted(words)


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page != GLOSSARY and page.parent != DECISIONS],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_a_page_uses_the_words_of_the_glossary(page: Path) -> None:
    text = prose(page)
    used = [
        f"{other!r}: say {word!r}"
        for other, word in REPLACED.items()
        if re.search(rf"\b{other}s?\b", text, re.IGNORECASE)
    ]
    assert used == []


def test_each_word_is_used() -> None:
    text = " ".join(prose(page) for page in PAGES if page != GLOSSARY).lower()
    assert [word for word, _, _ in ROWS if not re.search(rf"\b{word[:-1]}", text)] == []
