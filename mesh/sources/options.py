"""The options of a source: their checks, their identity, and how a source is named to people."""

from __future__ import annotations

import json
from collections.abc import Mapping

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.redaction import safe_address


def check_names(options: Mapping[str, object], *names: str) -> None:
    """Refuse options that the source does not have.

    Raises:
        ConfigError: names the first unknown one.
    """
    unknown = sorted(options.keys() - set(names))
    if unknown:
        raise ConfigError(
            f"unknown option {unknown[0]!r}", hint=f"there are: {', '.join(names)}"
        )


def required_text(options: Mapping[str, object], name: str, example: str) -> str:
    """A required text option.

    Raises:
        ConfigError: it is missing or not text.
    """
    value = options.get(name)
    if not isinstance(value, str) or not value:
        raise ConfigError(f"`{name}` is missing", hint=f"for example {name}: {example}")
    return value


def base_url(options: Mapping[str, object], name: str, default: str) -> str:
    """A text option without its trailing slashes.

    Raises:
        ConfigError: it is not text.
    """
    value = options.get(name, default)
    if not isinstance(value, str):
        raise ConfigError(f"{name}: expected text")
    return value.rstrip("/")


def optional_parameter(options: Mapping[str, object], name: str) -> dict[str, str]:
    """A text option as a query parameter of the same name; empty when it is not set.

    Raises:
        ConfigError: it is not text.
    """
    if not options.get(name):
        return {}
    return {name: base_url(options, name, "")}


def flag(options: Mapping[str, object], name: str, *, default: bool) -> bool:
    """A true/false option.

    Raises:
        ConfigError: it is something else.
    """
    value = options.get(name, default)
    if not isinstance(value, bool):
        raise ConfigError(f"{name}: expected true or false")
    return value


def without_type(options: Mapping[str, object]) -> dict[str, object]:
    """The options that a source's constructor takes."""
    return {name: value for name, value in options.items() if name != "type"}


def key_of(options: Mapping[str, object]) -> str:
    """Options as one text: equal for the same source."""
    return json.dumps(options, sort_keys=True, default=str)


def describe(options: Mapping[str, object]) -> str:
    """A source for people: its type and its path or URL, without passwords."""
    kind = str(options.get("type"))
    for name in ("path", "url"):
        value = options.get(name)
        if isinstance(value, str):
            return f"{kind} {safe_address(value)}"
    return kind
