"""Data as statements: what a key says, and what an object, a row or a list is about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[_\-.\s]+")
_SUBJECT_KEYS: Final = (
    "name",
    "title",
    "subject",
    "item",
    "entity",
    "label",
    "id",
    "key",
    "number",
    "code",
)
_MAX_SUBJECT_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class Keyed:
    """A value under a key (`employees: 900`), and what it is said of; `about` is empty where nothing says that."""

    key: str
    value: str
    about: str = ""

    @property
    def text(self) -> str:
        """The statement as one line."""
        name = f"{self.about} {self.key}".strip()
        return f"{name}: {self.value}" if name else self.value


UNIT_KEYS: Final = ("unit", "units", "currency")


def unit_of(mapping: Mapping[str, object]) -> str:
    """The unit or currency that an object gives for its figures."""
    for key, value in mapping.items():
        if label_of(key).casefold() in UNIT_KEYS and isinstance(value, str):
            return value
    return ""


def label_of(key: str) -> str:
    """A key as words: `monthlyRate`, `monthly_rate` and `monthly-rate` are `monthly rate`."""
    return _SEPARATORS.sub(" ", _CAMEL.sub(" ", key)).strip()


def subject_of(mapping: Mapping[str, object]) -> str:
    """What an object is about: its name, title or id, with what the key says beside it (`order id` -> `order A-1`)."""
    for wanted in _SUBJECT_KEYS:
        for key, value in mapping.items():
            words = label_of(key).casefold().split()
            if not words or words[-1] != wanted or not isinstance(value, str | int):
                continue
            kind = " ".join(words[:-1])
            text = str(value).strip()
            if 0 < len(text) <= _MAX_SUBJECT_CHARS and not isinstance(value, bool):
                return f"{kind} {text}".strip()
    return ""
