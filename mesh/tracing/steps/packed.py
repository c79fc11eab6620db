"""The steps of a very large trace, kept packed: a hundred thousand step objects would be most of a process."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain, islice
from operator import attrgetter
from typing import Any, Final, TypeAlias, cast, overload

from judgemesh.contracts.tracing import (
    ContextBreakdown,
    Costs,
    ModelCall,
    Step,
    ToolEvent,
)
from judgemesh.contracts.usage import Money, PriceSnapshot, Usage

MANY: Final = 2_000
"""Up to here a trace is as small as what else is in memory, and nothing is packed."""

_PAGE: Final = 250
_FAST: Final = 1


class PackedSteps(Sequence[Step]):  # noqa: PLW1641 (no key, no more than a trace is)
    """Steps in pages, unpacked as they are looked at: every look gives new, equal objects.

    What the steps hold must be plain data: see `pickle`.
    """

    def __init__(self, steps: Iterable[Step]) -> None:
        """Pack `steps`; no more than a page of them is held."""
        self._pages: list[bytes] = []
        self._size = 0
        self._open: tuple[int, list[Step]] = (-1, [])
        rest = iter(steps)
        while page := list(islice(rest, _PAGE)):
            self._pages.append(_packed(page))
            self._size += len(page)

    def __len__(self) -> int:
        """How many steps there are."""
        return self._size

    def __iter__(self) -> Iterator[Step]:
        """One after another, a page in memory."""
        for data in self._pages:
            yield from _unpacked(data)

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...

    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        """A step, or some."""
        if isinstance(index, slice):
            return tuple(self._at(at) for at in range(self._size)[index])
        return self._at(range(self._size)[index])

    def __eq__(self, other: object) -> bool:
        """Whether the other has equal steps in the same order, packed or not."""
        if not isinstance(other, PackedSteps | tuple):
            return NotImplemented
        others = cast("Sequence[Step]", other)
        return len(self) == len(others) and all(
            one == two for one, two in zip(self, others, strict=True)
        )

    def _at(self, at: int) -> Step:
        number, place = divmod(at, _PAGE)
        known, page = self._open
        if known != number:
            page = _unpacked(self._pages[number])
            self._open = (number, page)
        return page[place]


def compact(steps: Iterable[Step]) -> Sequence[Step]:
    """A few steps as a tuple, many of them packed. Only for steps whose details are JSON data."""
    rest = iter(steps)
    first = tuple(islice(rest, MANY + 1))
    return first if len(first) <= MANY else PackedSteps(chain(first, rest))


def _built(kind: type[object], *values: object) -> object:
    one = object.__new__(kind)
    for name, value in zip(_NAMES[kind], values, strict=True):
        object.__setattr__(one, name, value)
    return one


def _reducer(kind: type[object]) -> _Reducer:
    values = attrgetter(*_NAMES[kind])
    return lambda one: (_built, (kind, *values(one)))


_Reducer: TypeAlias = Callable[[Any], tuple[Callable[..., Any], tuple[Any, ...]]]
_KINDS: Final = (
    Step,
    Usage,
    Costs,
    Money,
    ContextBreakdown,
    ToolEvent,
    ModelCall,
    PriceSnapshot,
)
_NAMES: Final[Mapping[type[object], tuple[str, ...]]] = {
    kind: tuple(kind.__slots__) for kind in _KINDS
}
_REDUCERS: Final[Mapping[type, _Reducer]] = {kind: _reducer(kind) for kind in _KINDS}
"""How dataclasses pickle themselves takes twice the time: they look up their fields for every object."""


def _packed(page: Sequence[Step]) -> bytes:
    out = BytesIO()
    pickler = pickle.Pickler(out, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(page)
    return zlib.compress(out.getbuffer(), _FAST)


def _unpacked(data: bytes) -> list[Step]:
    return cast("list[Step]", pickle.loads(zlib.decompress(data)))  # noqa: S301 (packed by this process)
