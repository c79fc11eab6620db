"""Validators of plug-ins that ask for a process of their own: a worker process that is killed at their time limit."""

from __future__ import annotations

import asyncio
import atexit
import inspect
import os
from functools import reduce
from importlib import import_module
from typing import Any, Final

from judgemesh.contracts.validator import Case, Validator
from judgemesh.mesh.isolation.workers import WorkerPool

_POOL: Final = WorkerPool(size=max(2, os.cpu_count() or 2))
atexit.register(_POOL.close)


def call_isolated(validator: Validator, case: Case, timeout_s: float) -> object:
    """What the function of a validator returns for a case, or raises, in a worker process.

    The function is found in the worker by its module and name; the case and what it returns are pickled.

    Raises:
        WorkFailed: it missed its time limit, took more than 2 GiB, or ended its process.
    """
    run = validator.run
    return _POOL.call(
        _called, run.__module__, run.__qualname__, case, timeout_s=timeout_s
    )


def _called(module: str, name: str, case: Case) -> object:
    """The job of the worker."""
    found: Any = reduce(getattr, name.split("."), import_module(module))
    run = found.run if isinstance(found, Validator) else found
    outcome = run(case)
    if inspect.iscoroutine(outcome):
        return asyncio.run(outcome)
    return outcome
