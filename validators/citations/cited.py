"""A citation as the agent wrote it, and all citations of one answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from judgemesh.contracts.references import Reference

MAX_CITATIONS: Final = 1_000
"""Citations of one answer beyond this number are counted, not checked."""

_MAX_LABEL_CHARS: Final = 100


class Standing(StrEnum):
    """How surely a part of an answer is a citation.

    CITED: it says so, and must be found. LIKELY: it must be found if the sources have items of such names. NAMED: it
    counts where it is found, and is no citation otherwise.
    """

    CITED = "cited"
    LIKELY = "likely"
    NAMED = "named"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited(Reference):
    """One citation as the agent wrote it.

    ref: where it is in the result. text: the whole citation where it was given as running text; `authors_text` is its
    part before the title. et_al: the agent did not claim to name all authors. passages: texts that the agent says the
    work contains. remarks: texts that are references, passages or comments; no comments if `strict`.
    mark: how the text refers to it: `[3]` for a reference that may lead nowhere, `3` where it gives its number.
    """

    ref: str
    authors_text: str = ""
    remarks: tuple[str, ...] = ()
    strict: bool = False
    standing: Standing = Standing.CITED
    mark: str = ""

    @property
    def names_nothing(self) -> bool:
        """Whether it only brings a passage, and no work that the passage is from."""
        return not (self.ids or self.malformed or self.names or self.title or self.text)

    def label(self) -> str:
        """The citation for a diagnostic: its title, else its first identifier, else its text."""
        ids = [f"{scheme}:{value}" for scheme, value in self.ids.items()]
        others = (*ids, *self.names, self.text, *self.passages)
        name = self.title or "".join(others[:1]) or self.text
        name = " ".join(name.split())
        if len(name) <= _MAX_LABEL_CHARS:
            return name
        return f"{name[:_MAX_LABEL_CHARS]}..."


@dataclass(frozen=True, slots=True)
class Citations:
    """What an answer cites.

    labels: the citations that the text refers to by a number or a name of a footnote.
    dangling: references in the text that lead to no citation of the answer, but may lead to an item of a source.
    excess: how many citations are over the limit and are not checked. discussed: the text refers to evidence.
    """

    checked: tuple[Cited, ...] = ()
    dangling: tuple[str, ...] = ()
    labels: Mapping[str, Cited] = field(default_factory=dict[str, Cited])
    excess: int = 0
    discussed: bool = False
