"""What a judge answers to a yes/no question."""

from __future__ import annotations

from enum import StrEnum


class Vote(StrEnum):
    """An answer to a yes/no question."""

    YES = "yes"
    NO = "no"
    CANNOT_ASSESS = "cannot_assess"
