"""What a model turned out to be capable of: found out by asking, kept for the run.

Structured answers are asked for in the first of these forms that the provider accepts:

    schema   JSON of a strict schema (`response_format`)
    tool     the same through a tool that the model must call
    text     text only; the verdict is on the last line
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Structure(StrEnum):
    """How a structured answer is asked for."""

    SCHEMA = "schema"
    TOOL = "tool"
    TEXT = "text"


@dataclass(slots=True)
class Capabilities:
    """What is known about a model; None for what was not tried yet.

    Args:
        structure: the best form that was not rejected.
        tools: whether the gateway can send tools at all.
        logprobs: whether the provider returns log-probabilities of the first token.
        decisions: whether the provider has a decision endpoint.
    """

    structure: Structure = Structure.SCHEMA
    tools: bool = True
    logprobs: bool | None = None
    decisions: bool | None = None

    def reject(self, tried: Structure) -> None:
        """The provider does not accept this form. Concurrent calls may all report it."""
        if self.structure is not tried:
            return
        if tried is Structure.SCHEMA and self.tools:
            self.structure = Structure.TOOL
        else:
            self.structure = Structure.TEXT
