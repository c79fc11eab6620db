"""Which addresses the viewer answers to: the Host header of a request against what the viewer was bound to. Pure.

A page of another site can let its own name point to this machine (DNS rebinding). The browser then sends that name as
Host, so that a viewer which answers to its own names alone gives it nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

_HOST: Final = re.compile(
    r"(?P<name>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::(?P<port>\d{1,5}))?"
)
_LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HTTP_PORT: Final = 80


@dataclass(frozen=True, slots=True)
class Addresses:
    """What a viewer was bound to. host: name or number of the interface. allowed: further names, as of a proxy."""

    host: str
    port: int
    allowed: frozenset[str] = frozenset()

    @property
    def is_local(self) -> bool:
        """Only programs on this machine can connect."""
        return is_local(self.host)

    @property
    def url(self) -> str:
        """Where a browser on this machine finds the viewer."""
        host = self.host
        if _is_wildcard(host):
            host = "127.0.0.1"
        return f"http://{bracketed(host)}:{self.port}/"

    def answers_to(self, header: str) -> bool:
        """Whether a Host header names this viewer."""
        found = _HOST.fullmatch(header)
        if found is None:
            return False
        name = found["name"].lower()
        if name in self.allowed:
            return True
        if int(found["port"] or _HTTP_PORT) != self.port:
            return False
        if self.is_local:
            return name in _LOCAL_NAMES
        if _is_wildcard(self.host):
            # A number cannot be made to point elsewhere.
            return name == "localhost" or _is_number(name)
        return name in {bracketed(self.host).lower(), *_LOCAL_NAMES}


def is_local(host: str) -> bool:
    """Whether only programs on this machine can connect to that interface."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def bracketed(host: str) -> str:
    """An address of IPv6 stands in brackets in a URL."""
    return f"[{host}]" if ":" in host else host


def _is_wildcard(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def _is_number(name: str) -> bool:
    try:
        number = ip_address(name.strip("[]"))
    except ValueError:
        return False
    return name.startswith("[") == isinstance(number, IPv6Address)
