"""What a model turned out to be able to do. Found out by asking, remembered for the run, never looked up in a table.

How an answer is asked for, best first; what the provider rejects is not asked for again:

    schema   JSON of a strict schema (`response_format`)
    tool     the same through a tool that the model must call
    text     words alone; the verdict stands on the last line
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Structure(StrEnum):
    """How an answer with a structure is asked for."""

    SCHEMA = "schema"
    TOOL = "tool"
    TEXT = "text"


_NEXT: Final = {
    Structure.SCHEMA: Structure.TOOL,
    Structure.TOOL: Structure.TEXT,
    Structure.TEXT: Structure.TEXT,
}


@dataclass(slots=True)
class Capabilities:
    """What is known of a model so far; None where nobody has asked yet.

    structure: the best way that was not rejected. tools: whether the gateway can send tools at all.
    logprobs: whether the first token's log-probabilities come.
    decisions: whether there is a decision endpoint.
    """

    structure: Structure = Structure.SCHEMA
    tools: bool = True
    logprobs: bool | None = None
    decisions: bool | None = None

    def rejected(self, tried: Structure) -> None:
        """The provider does not take that; several calls may find out at once."""
        if self.structure is tried:
            self.structure = _NEXT[tried] if self.tools else Structure.TEXT
