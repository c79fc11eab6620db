"""Frozen dataclasses that are made as fast as plain ones. Pure."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from functools import wraps
from types import new_class
from typing import Any, Final, TypeVar, cast

T = TypeVar("T")

_SLOTS: Final = "__slots__"


def quick_init(made: type[T]) -> type[T]:
    """Let a frozen dataclass with slots set its fields by assignment, while nobody else has the object.

    The `__init__` that `dataclass` writes sets each field by `object.__setattr__`, which takes three times as long.
    This one makes the object one of a twin class that is not frozen, and gives it its class back when it is whole. It
    pays from about six fields on.

    Raises:
        TypeError: a field is no parameter.
    """
    slow = made.__init__
    names = {_SLOTS: made.__dict__[_SLOTS], "__setattr__": object.__setattr__}
    bases = getattr(made, "__orig_bases__", made.__bases__)
    twin = new_class(made.__name__, bases, exec_body=lambda body: body.update(names))
    known: dict[str, object] = {"made": made, "twin": twin, "slow": slow}
    known |= {"set_class": object.__setattr__, "absent": MISSING}
    own = fields(cast("Any", made))
    if not all(each.init for each in own):
        raise TypeError(f"every field of {made.__name__} must be a parameter")
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
    cast("Any", made).__init__ = wraps(slow)(cast("Any", known["__init__"]))
    return made


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
