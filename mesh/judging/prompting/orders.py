"""What words to the evaluator do, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class OrderKind(StrEnum):
    """What the words do."""

    COMMAND = "command"
    ADDRESS = "address"
    OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class HostileSpan:
    """Words to the evaluator, as offsets in the original text, up to the end of their sentence."""

    start: int
    end: int
    kind: OrderKind
