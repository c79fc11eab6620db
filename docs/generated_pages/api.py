"""The page of the Python API: the public names of each public module, with signature and docstring."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FunctionType
from typing import Any, cast

from pydantic import BaseModel

from generated_pages.markdown import paragraphs, plain
from judgemesh.mesh import metrics

MODULES = (
    "judgemesh.mesh",
    "judgemesh.contracts.verdicts",
    "judgemesh.contracts.needs",
    "judgemesh.mesh.testing",
    "judgemesh.mesh.testing.conformance",
    "judgemesh.mesh.testing.faults",
    *(
        f"{metrics.__name__}.{found.name}"
        for found in pkgutil.iter_modules(metrics.__path__)
    ),
)
"""Modules whose public names a user imports."""

_SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Attributes):\n", re.MULTILINE)
_ENTRY = re.compile(r"^ {4}(?=\S)", re.MULTILINE)
_HEAD = """\
# Python API

The public names of judgemesh, with their signatures and docstrings. A name that does not stand here can change in any
release.
"""


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(_module(name) for name in MODULES)


def public_names(module: str) -> dict[str, Any]:
    """The classes and functions that a module lists in `__all__`, else those that it defines; no private name."""
    found = import_module(module)
    listed: list[str] | None = getattr(found, "__all__", None)
    names = dir(found) if listed is None else listed
    values = {name: getattr(found, name) for name in sorted(names) if name[0] != "_"}
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, type | FunctionType)
        and (listed or getattr(value, "__module__", "") == module)
    }


def _module(name: str) -> str:
    opening = (import_module(name).__doc__ or "").strip().partition("\n\n")[0]
    entries = public_names(name).items()
    return f"\n## {name}\n\n{plain(opening)}\n" + "".join(
        f"\n### {name}.{own}\n\n{_described(own, value)}" for own, value in entries
    )


def _described(name: str, value: Any) -> str:
    text = _signature(name, value) + _docstring(value)
    if isinstance(value, type):
        text += "".join(_methods(value))
    return text


def _methods(owner: type) -> Iterator[str]:
    values: dict[str, object] = dict(vars(owner))
    for name, value in values.items():
        method = getattr(value, "__func__", value)
        if name[0] != "_" and inspect.isfunction(method) and method.__doc__:
            yield _signature(f"{owner.__name__}.{name}", method) + _docstring(method)


def _signature(name: str, value: object) -> str:
    if isinstance(value, type) and issubclass(value, BaseModel):
        return ""  # its fields are a page of their own, and the signature would repeat them
    try:
        signature = str(inspect.signature(cast("Callable[..., object]", value)))
    except (TypeError, ValueError):
        return ""
    # Where annotations are classes, their modules say nothing to a reader; an object's address differs each time.
    short = re.sub(
        r"\b(?:judgemesh|typing|collections)(?:\.\w+)*\.(?=\w)", "", signature
    )
    short = re.sub(r"<(\w[\w.]*)[^<>]*>", r"\1", short)
    return f"```text\n{name}{short}\n```\n\n"


def _docstring(value: Any) -> str:
    text = inspect.getdoc(value) or ""
    opening, *sections = _SECTION.split(text)
    pairs = zip(sections[::2], sections[1::2], strict=True)
    described = [paragraphs(opening), *(_section(*pair) for pair in pairs)]
    return "\n\n".join(filter(None, described)) + "\n\n"


def _section(title: str, body: str) -> str:
    entries = [plain(entry) for entry in _ENTRY.split(body) if entry.strip()]
    return f"**{title}**\n\n" + "\n".join(f"* {entry}" for entry in entries)
