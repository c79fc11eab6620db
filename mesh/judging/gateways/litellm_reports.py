"""What litellm reports of a call to callbacks, left out where there are none.

It builds a report of every call in a task of its own, which takes a tenth of the time of the call, and only then looks
for somebody to give it to.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from typing import Any, Final, cast

_LISTENERS: Final = (
    *("callbacks", "success_callback", "failure_callback"),
    *("_async_success_callback", "_async_failure_callback"),
    "max_budget",
)
"""Settings of litellm that need the reports."""
_OPTIONS: Final = frozenset(
    {"callbacks", "success_callback", "failure_callback", "logger_fn"}
)
"""Options of a call that do."""
_PRINTED: Final = "LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD"


async def reported(library: Any, arguments: Mapping[str, Any]) -> Any:
    """The answer of `litellm.acompletion`, its report made only for those who read it."""
    switch = _switch()
    if switch is None or _is_read(library, arguments):
        return await library.acompletion(**arguments)
    before = switch.get()
    switch.set(True)
    try:
        return await library.acompletion(**arguments)
    finally:
        switch.set(before)


def _is_read(library: Any, arguments: Mapping[str, Any]) -> bool:
    if not _OPTIONS.isdisjoint(arguments) or _PRINTED in os.environ:
        return True
    return any(getattr(library, name, None) for name in _LISTENERS)


@cache
def _switch() -> ContextVar[bool] | None:
    """By which litellm leaves out the reports of calls that it makes for itself; older versions have none."""
    try:
        context = import_module("litellm._internal_context")
    except ImportError:
        return None
    found = getattr(context, "is_internal_call", None)
    return cast("ContextVar[bool]", found) if isinstance(found, ContextVar) else None
