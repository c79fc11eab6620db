"""A citation as the agent wrote it, and all citations of one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.references import Reference

MAX_CITATIONS: Final = 1_000
"""Citations of one answer beyond this number are counted, not checked."""

_MAX_LABEL_CHARS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited(Reference):
    """One citation as the agent wrote it.

    ref: where it is in the result. text: the whole citation where it was given as running text;
    `authors_text` is its part before the title. et_al: the agent did not claim to name all authors. quote: a passage
    that the agent says the work contains.
    """

    ref: str
    authors_text: str = ""

    def label(self) -> str:
        """The citation for a diagnostic: its title, else its first identifier, else its text."""
        ids = [f"{scheme}:{value}" for scheme, value in self.ids.items()]
        name = self.title or "".join(ids[:1]) or self.text
        name = " ".join(name.split())
        if len(name) <= _MAX_LABEL_CHARS:
            return name
        return f"{name[:_MAX_LABEL_CHARS]}..."


@dataclass(frozen=True, slots=True)
class Citations:
    """What an answer cites.

    dangling: references in the text that lead to no citation. excess: how many citations are over the limit and are
    not checked. discussed: nothing is cited although the text refers to evidence.
    """

    checked: tuple[Cited, ...] = ()
    dangling: tuple[str, ...] = ()
    excess: int = 0
    discussed: bool = False
