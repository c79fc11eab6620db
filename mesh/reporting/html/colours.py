"""The colour of each word that has one: gates, kinds of verdicts, outcome classes. `static/page.css` defines them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_COLOURS: Final[Mapping[str, str]] = {
    "pass": "pass",
    "fail": "fail",
    "undecided": "undecided",
    "abstain": "undecided",
    "error": "evaluator",
    "skipped": "skipped",
    "complete": "complete",
    "partial+": "partial-plus",
    "partial-": "partial-minus",
    "hallucinated": "hallucinated",
    "abandoned": "abandoned",
}


def colour(word: str) -> str:
    """The name of a colour; `other` for a word that has none."""
    return _COLOURS.get(word, "other")
