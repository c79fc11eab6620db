"""Frozen dataclasses that are made as fast as plain ones. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import wraps
from itertools import count
from types import new_class
from typing import Any, Final, TypeVar, cast

T = TypeVar("T")

_SLOTS: Final = "__slots__"
_FEW: Final = 16
"""Objects that are made before a quick `__init__` is written: a first result makes fewer."""


def quick_init(made: type[T]) -> type[T]:
    """Let a frozen dataclass with slots set its fields by assignment, while nobody else has the object.

    The `__init__` that `dataclass` writes sets each field by `object.__setattr__`, which takes three times as long. It
    pays from about six fields on, and after a few hundred objects: the first ones are made as `dataclass` does it.

    Raises:
        TypeError: a field is no parameter.
    """
    if not all(each.init for each in fields(cast("Any", made))):
        raise TypeError(f"every field of {made.__name__} must be a parameter")
    slow = made.__init__
    slow_ones = count(1)

    @wraps(slow)
    def first(self: T, *args: Any, **kwargs: Any) -> None:
        if next(slow_ones) == _FEW:
            cast("Any", made).__init__ = _quick(made, slow)
        slow(self, *args, **kwargs)

    cast("Any", made).__init__ = first
    return made


def _quick(made: type[Any], slow: Callable[..., None]) -> Callable[..., None]:
    """An `__init__` that makes the object one of a twin class that is not frozen, and gives it its class back when it
    is whole."""
    names = {_SLOTS: made.__dict__[_SLOTS], "__setattr__": object.__setattr__}
    bases = getattr(made, "__orig_bases__", made.__bases__)
    twin = new_class(made.__name__, bases, exec_body=lambda body: body.update(names))
    known: dict[str, object] = {"made": made, "twin": twin, "slow": slow}
    known |= {"set_class": object.__setattr__, "absent": MISSING}
    own = fields(made)
    heads = [_head(each, known) for each in own if not each.kw_only]
    named = [_head(each, known) for each in own if each.kw_only]
    if named:
        heads += ["*", *named]
    lines = [f"def __init__({', '.join(['self', *heads])}):"]
    lines += [f" {line}" for each in own for line in _defaults(each)]
    passed = [f"{each.name}={each.name}" if each.kw_only else each.name for each in own]
    lines += [
        " if self.__class__ is not made:",  # one of a class derived from it
        f"  return slow({', '.join(['self', *passed])})",
        " set_class(self, '__class__', twin)",
        *[f" self.{each.name} = {each.name}" for each in own],
        " self.__class__ = made",
    ]
    if hasattr(made, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec("\n".join(lines), known)  # noqa: S102 - as dataclass does it, of names of fields only
    return wraps(slow)(cast("Any", known["__init__"]))


def _head(each: Field[Any], known: dict[str, object]) -> str:
    """A field as a parameter; its default goes into the names that are known."""
    if each.default is not MISSING:
        known[f"default_{each.name}"] = each.default
        return f"{each.name}=default_{each.name}"
    if each.default_factory is not MISSING:
        known[f"new_{each.name}"] = each.default_factory
        return f"{each.name}=absent"
    return each.name


def _defaults(each: Field[Any]) -> list[str]:
    """The lines that make a default which is no constant."""
    if each.default_factory is MISSING:
        return []
    return [f"if {each.name} is absent:", f" {each.name} = new_{each.name}()"]
