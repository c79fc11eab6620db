"""numpy, imported when it is first used: importing it costs 100 ms and changes the environment of the process."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Late:
    """A module that is imported when an attribute of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(import_module(self._name), attribute)
        setattr(self, attribute, value)  # the next use does not come here
        return value


np = Late("numpy")
