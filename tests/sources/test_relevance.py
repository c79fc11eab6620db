"""The text that is most likely about a statement."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.mesh.sources.documents import DirectoryDocuments
from judgemesh.mesh.sources.evidence.catalogue import Catalogue
from judgemesh.mesh.sources.evidence.relevance import most_relevant

TEXTS = (
    "The north gate closes at 22:00. Drivers show a badge.",
    "Forklifts are charged overnight.",
    "",
)


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("The northern gate is closed after ten.", 0),
        ("A forklift charges over night.", 1),
        ("The forklift", 1),
        ("Whales sing in winter.", None),
        ("The gate of the museum was painted by a famous artist in spring.", None),
        ("", None),
        ("the and for", None),
    ],
)
def test_the_text_that_shares_most_telling_words_is_meant(
    statement: str, number: int | None
) -> None:
    assert most_relevant(statement, TEXTS) == number


def test_a_rare_word_tells_more_than_a_common_one() -> None:
    texts = ["blue whales sing", "blue birds sing", "blue whales dive"]
    assert most_relevant("Blue birds sing and dive", texts) == 1


@pytest.mark.anyio
async def test_a_folder_is_searched_for_a_statement(tmp_path: Path) -> None:
    (tmp_path / "gates.md").write_text(TEXTS[0], encoding="utf-8")
    (tmp_path / "lifts.md").write_text(TEXTS[1], encoding="utf-8")
    source = DirectoryDocuments({"path": "."}, tmp_path)
    query = {"about": "Forklifts get charged"}
    answer = await source.lookup(Lookup(source={}, query=query, want_text=True))
    assert isinstance(answer, Found)
    assert answer.ref == "lifts.md"
    query = {"about": "Whales sing in winter"}
    assert isinstance(await source.lookup(Lookup(source={}, query=query)), NotFound)


def test_a_catalogue_is_searched_for_a_statement() -> None:
    rows = [
        (str(number), {"id": f"N-{number}", "text": text})
        for number, text in enumerate(TEXTS)
    ]
    catalogue = Catalogue(rows, "rows", authoritative=False)
    query = {"about": "Forklifts get charged"}
    answer = catalogue.lookup(Lookup(source={}, query=query, want_text=True))
    assert isinstance(answer, Found)
    assert answer.fields["text"] == TEXTS[1]
    assert isinstance(
        catalogue.lookup(Lookup(source={}, query={"about": "Whales sing"})), NotFound
    )
