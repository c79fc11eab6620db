"""Secrets that a text may hold, and the text without them: one redactor for errors, replies and addresses. Pure.

A secret is known by its value (a key that was read from the environment or given as an option), or by its place: the
user of an address, and a parameter of its query with the name of a key. `MASK` stands where it stood.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

MASK: Final = "***"
MIN_SECRET_CHARS: Final = 6
"""A shorter value is not looked for in texts: it would be found in ordinary words."""
_SECRET_WORDS: Final = frozenset(
    {
        "key", "apikey", "token", "secret", "password", "passwd", "pwd", "sig", "signature", "auth", "authorization",
        "credential", "credentials", "accesskey", "pgpassword",
    }
)  # fmt: skip
_SEPARATORS: Final = str.maketrans("-.: ", "____")
_MAX_DEPTH: Final = 60


def names_secret(name: str) -> bool:
    """Whether a parameter, option or variable with this name holds a secret: `api-key`, `X-Api-Key`, `PUBMED_KEY`."""
    words = name.casefold().translate(_SEPARATORS).split("_")
    return not _SECRET_WORDS.isdisjoint(words) or "".join(words) in _SECRET_WORDS


def safe_address(address: str) -> str:
    """An address without the password of its user and without the values of secret parameters.

    What is no address with a host is returned as it is.
    """
    scheme, separator, rest = address.partition("://")
    try:
        parts = urlsplit(f"//{rest}")
    except ValueError:
        return address
    if not separator or not parts.netloc:
        return address
    credentials, at, host = parts.netloc.rpartition("@")
    if at:
        user, colon, _ = credentials.partition(":")
        # A user without a password is often a key.
        host = f"{user if colon else MASK}{colon}{MASK if colon else ''}@{host}"
    query = parts.query
    if query:
        query = "&".join(_safe_parameter(part) for part in query.split("&"))
    return f"{scheme}:{urlunsplit(parts._replace(netloc=host, query=query))}"


def _safe_parameter(part: str) -> str:
    name, equals, _ = part.partition("=")
    return f"{name}{equals}{MASK}" if equals and names_secret(unquote(name)) else part


def safe_data(value: Any) -> Any:
    """JSON-like data for people: addresses as `safe_address` shows them, and `MASK` under keys that name a secret."""
    if isinstance(value, str):
        return safe_address(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {
            key: MASK if item and names_secret(str(key)) else safe_data(item)
            for key, item in items
        }
    if isinstance(value, list):
        return list(map(safe_data, cast("list[Any]", value)))
    if isinstance(value, tuple):
        return tuple(map(safe_data, cast("tuple[Any, ...]", value)))
    return value


def secrets_of_address(address: str) -> frozenset[str]:
    """The secrets in an address: the password or lone user, and values of secret parameters."""
    # The scheme is left out: in one that is none (`oracle+cx_oracle`) `urlsplit` finds no user.
    _, _, rest = address.partition("://")
    try:
        parts = urlsplit(f"//{rest}")
        password, user = parts.password, parts.username
    except ValueError:
        return frozenset()
    found = {password if password is not None else user}
    for name, value in parse_qsl(parts.query):
        if names_secret(name):
            found.add(value)
    return frozenset(secret for secret in found if secret)


class Redactor:
    """Replaces known secrets in texts and data.

    Args:
        secrets: their values. Those shorter than `MIN_SECRET_CHARS` are left out. Each is also looked for as it stands
            in an address (percent-encoded).
    """

    __slots__ = ("_in_any", "_in_json", "_secrets")

    def __init__(self, secrets: Iterable[str]) -> None:
        known: set[str] = set()
        for secret in secrets:
            if len(secret.strip()) >= MIN_SECRET_CHARS:
                known |= {secret.strip(), quote(secret.strip(), safe="")}
        # The longest first, so that no secret is left in part where it begins like a shorter one.
        self._secrets = tuple(sorted(known, key=lambda secret: (-len(secret), secret)))
        self._in_json = tuple(json.dumps(secret)[1:-1] for secret in self._secrets)
        in_utf8 = [json.dumps(secret, ensure_ascii=False)[1:-1] for secret in known]
        self._in_any = tuple({*self._secrets, *self._in_json, *in_utf8})

    def __repr__(self) -> str:
        return f"Redactor({len(self._secrets)} values)"

    def __bool__(self) -> bool:
        return bool(self._secrets)

    def holds(self, text: str) -> bool:
        """Whether a secret stands in a text, or in a string of it where it is JSON."""
        for secret in self._in_any:
            if secret in text:
                return True
        return False

    def text(self, text: str) -> str:
        """The text with `MASK` for every secret."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, MASK)
        return text

    def data(self, value: Any) -> Any:
        """JSON-like data with `MASK` for every secret in its texts and keys; the same object where it holds none."""
        try:
            text = json.dumps(value)
        except (TypeError, ValueError, RecursionError):  # no JSON, or a loop in it
            return self._data(value, 0)
        if any(secret in text for secret in self._in_json):
            return self._data(value, 0)
        return value

    def _data(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if depth > _MAX_DEPTH:
            return value
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            return {
                self._data(key, depth + 1): self._data(child, depth + 1)
                for key, child in items
            }
        if isinstance(value, list | tuple):
            children = cast("list[Any] | tuple[Any, ...]", value)
            return [self._data(child, depth + 1) for child in children]
        return value


def secrets_of_environment(environment: Mapping[str, str]) -> frozenset[str]:
    """The values of environment variables whose names are those of secrets."""
    return frozenset(
        value for name, value in environment.items() if value and names_secret(name)
    )
