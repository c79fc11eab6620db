"""The steps of a very large trace, packed: objects of 100,000 steps fill the memory."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain, islice
from operator import attrgetter
from typing import Any, Final, TypeAlias, cast, overload

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import (
    ContextBreakdown,
    Costs,
    ModelCall,
    Step,
    ToolEvent,
)
from judgemesh.contracts.usage import PriceSnapshot, Usage

MAX_UNPACKED: Final = 2_000
"""A trace of up to this many steps is small, and its steps are not packed."""

_PAGE_STEPS: Final = 250
_FASTEST: Final = 1


class PackedSteps(Sequence[Step]):  # noqa: PLW1641 (not hashable, as a trace is not)
    """Steps in compressed pages, unpacked on access: each access gives new, equal objects.

    What the steps hold must be plain data: see `pickle`.
    """

    def __init__(self, steps: Iterable[Step]) -> None:
        """Pack `steps`; no more than a page of them is held."""
        self._pages: list[bytes] = []
        self._size = 0
        self._open_page: tuple[int, list[Step]] = (-1, [])
        rest = iter(steps)
        while page := list(islice(rest, _PAGE_STEPS)):
            self._pages.append(_packed(page))
            self._size += len(page)

    def __len__(self) -> int:
        """How many steps there are."""
        return self._size

    def __iter__(self) -> Iterator[Step]:
        """Each step, with one page in memory."""
        for data in self._pages:
            yield from _unpacked(data)

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...

    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        """One step, or a range of steps."""
        positions = range(self._size)[index]
        if isinstance(positions, int):
            return self._at(positions)
        return tuple(self._at(position) for position in positions)

    def __eq__(self, other: object) -> bool:
        """Whether the other has equal steps in the same order, packed or not."""
        if not isinstance(other, PackedSteps | tuple):
            return NotImplemented
        others = cast("Sequence[Step]", other)
        if len(self) != len(others):
            return False
        pairs = zip(self, others, strict=True)
        return all(step == other_step for step, other_step in pairs)

    def _at(self, position: int) -> Step:
        number, offset = divmod(position, _PAGE_STEPS)
        open_number, page = self._open_page
        if open_number != number:
            page = _unpacked(self._pages[number])
            self._open_page = (number, page)
        return page[offset]


def compact(steps: Iterable[Step]) -> Sequence[Step]:
    """A few steps as a tuple, many of them packed.

    Only for steps whose details are JSON data.
    """
    rest = iter(steps)
    first = tuple(islice(rest, MAX_UNPACKED + 1))
    if len(first) <= MAX_UNPACKED:
        return first
    return PackedSteps(chain(first, rest))


# --- pickling ---
#
# Frozen dataclasses with slots pickle themselves in twice the time: they look up their
# fields for every object.

_Reducer: TypeAlias = Callable[[Any], tuple[Callable[..., Any], tuple[Any, ...]]]

_CLASSES: Final = (
    Step,
    Usage,
    Costs,
    Money,
    ContextBreakdown,
    ToolEvent,
    ModelCall,
    PriceSnapshot,
)
_FIELDS: Final[Mapping[type[object], tuple[str, ...]]] = {
    cls: tuple(cls.__slots__) for cls in _CLASSES
}


def _rebuilt(cls: type[object], *values: object) -> object:
    instance = object.__new__(cls)
    for name, value in zip(_FIELDS[cls], values, strict=True):
        object.__setattr__(instance, name, value)
    return instance


def _reducer(cls: type[object]) -> _Reducer:
    values_of = attrgetter(*_FIELDS[cls])
    return lambda instance: (_rebuilt, (cls, *values_of(instance)))


_REDUCERS: Final[Mapping[type, _Reducer]] = {cls: _reducer(cls) for cls in _CLASSES}


def _packed(page: Sequence[Step]) -> bytes:
    out = BytesIO()
    pickler = pickle.Pickler(out, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(page)
    return zlib.compress(out.getbuffer(), _FASTEST)


def _unpacked(data: bytes) -> list[Step]:
    # The bytes were pickled by `_packed`, in this process.
    return cast("list[Step]", pickle.loads(zlib.decompress(data)))  # noqa: S301
