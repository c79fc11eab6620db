"""A fault at a moment of a seam, and the count of the moments."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`kind` happens at the `at`-th moment of `seam`, counted from 1; 0 is never. `lasting`: at every later one too."""

    seam: str
    kind: str
    at: int = 1
    lasting: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """A fault from `seam:kind@n` or `seam:kind@n+`.

        Raises:
            ValueError: the text has another form.
        """
        name, _, moment = text.partition("@")
        seam, _, kind = name.partition(":")
        number = moment.removesuffix("+")
        if not seam or not kind or not (number.isascii() and number.isdigit()):
            raise ValueError(
                f"{text!r}: expected seam:kind@n, for example commit:disk_full@3"
            )
        return cls(seam=seam, kind=kind, at=int(number), lasting=number != moment)

    def __str__(self) -> str:
        """The form that `parse` reads."""
        return f"{self.seam}:{self.kind}@{self.at}{'+' * self.lasting}"

    def is_at(self, moment: int) -> bool:
        """Whether the fault happens at this moment."""
        if self.at == 0:
            return False
        return moment == self.at or (self.lasting and moment > self.at)


@dataclass(slots=True)
class Moments:
    """How many moments a seam has had (`count`), and at how many of them the fault has happened (`struck`)."""

    fault: Fault
    count: int = 0
    struck: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self) -> bool:
        """Count a moment; whether the fault happens now. Safe in every thread."""
        with self._lock:
            self.count += 1
            happens = self.fault.is_at(self.count)
            self.struck += happens
        return happens
