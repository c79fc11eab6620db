"""Long runs of blanks, and of one sign, shortened before validators read a result; halves of characters replaced.

A language rule looks for blanks before or behind a word. On a run of 40,000 blanks such a rule tries every blank of the
run as a start, for seconds, in every rule; nothing that a validator decides depends on how long such a run is. So the
case that validators see has no run of more than `LONGEST_RUN` blanks, nor of one sign that is neither letter nor digit.
Letters and digits are never left out.

Half a character (a lone surrogate, which Python code can put into a text) cannot be encoded, which patterns and digests
need: it becomes U+FFFD. The result itself, as reports and ledger keep it, is not touched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import compress, count
from operator import eq, is_
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel

LONGEST_RUN: Final = 120
_WINDOW: Final = 40
_MAX_DEPTH: Final = 100
_CHARS_OF_VALUE: Final = 4
_KEPT: Final = _WINDOW
_BLANK: Final = re.compile(r"\s")
_ATOMS: Final = frozenset({int, float, bool, type(None)})
M = TypeVar("M", bound=BaseModel)


def shortened(text: str) -> str:
    """The text with the middle of every long run left out."""
    if not _may_hold_run(text):
        return text
    return _runs().sub(lambda run: run.group()[:_KEPT] + run.group()[-_KEPT:], text)


def _readable(text: str) -> str:
    """The text shortened, in whole characters; the same object where nothing changes."""
    if len(text) <= LONGEST_RUN and text.isascii():
        return text
    if not text.isascii() and _half().search(text):
        text = _half().sub("\ufffd", text)
    return shortened(text) if len(text) > LONGEST_RUN else text


@cache
def _runs() -> re.Pattern[str]:
    """Runs of more than `LONGEST_RUN`. Compiled where a text may have one."""
    return re.compile(r"(?<!\s)\s{121,}+|([^\w\s]|_)\1{120,}+")


@cache
def _half() -> re.Pattern[str]:
    """Half a character. Compiled where a text is not ASCII."""
    return re.compile("[\ud800-\udfff]")


def _may_hold_run(text: str) -> bool:
    """Whether some window is of one sign or blank: a run of `LONGEST_RUN` covers one window whole."""
    step = LONGEST_RUN - _WINDOW
    firsts, lasts = (
        _BLANK.sub(" ", ends) for ends in (text[::step], text[_WINDOW - 1 :: step])
    )
    # Compared without Python code: of most texts, few windows begin and end with the same sign.
    for start in compress(count(0, step), map(eq, firsts, lasts)):
        window = text[start : start + _WINDOW]
        if window.count(window[0]) == _WINDOW or window.isspace():
            return True
    return False


def without_long_runs(model: M) -> tuple[M, int]:
    """The model with every text shortened (itself, where none needs to be), and how many characters it holds."""
    reader = _Reader()
    read = cast("M", reader.read(model, 0))
    return read, reader.chars


@dataclass(slots=True, eq=False, repr=False)
class _Reader:
    """Goes through all values. `chars` counts the characters met, and a few for every value."""

    chars: int = 0

    def read(self, value: Any, depth: int) -> Any:
        """The value with its texts shortened, keys too; the same object where nothing changes."""
        kind = cast("type[object]", type(value))
        self.chars += _CHARS_OF_VALUE
        if kind is str:
            self.chars += len(value)
            if len(value) <= LONGEST_RUN and value.isascii():
                return value
            return _readable(value)
        if kind in _ATOMS or depth > _MAX_DEPTH:
            return value
        if kind is dict:
            return self._mapping(value, depth)
        if kind is list:
            return self._items(value, depth)
        return self._model(value, depth) if isinstance(value, BaseModel) else value

    def _model(self, model: BaseModel, depth: int) -> BaseModel:
        """Only what was given is looked at; a default holds no long run."""
        changed: dict[str, Any] = {}
        for name in model.model_fields_set:
            value = getattr(model, name)
            read = self.read(value, depth + 1)
            if read is not value:
                changed[name] = read
        return model.model_copy(update=changed) if changed else model

    def _mapping(self, data: dict[str, Any], depth: int) -> dict[str, Any]:
        read: dict[str, Any] = {}
        same = True
        for key, value in data.items():
            new_key = _readable(key)
            new_value = self.read(value, depth + 1)
            same = same and new_key is key and new_value is value
            read[new_key] = new_value
        return data if same else read

    def _items(self, items: list[Any], depth: int) -> list[Any]:
        read = [self.read(item, depth + 1) for item in items]
        return items if all(map(is_, read, items)) else read
