"""What a network source may do: which hosts it may ask, how much it may read, and for how long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.sources.options import flag


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Options that every network source has.

    allow_hosts: names or addresses that may be on a private network. allow_private: any may. max_bytes: of one body,
    after decompression. timeout_s: for one request with its redirects.
    """

    allow_hosts: frozenset[str] = frozenset()
    allow_private: bool = False
    max_bytes: int = 8 * 2**20
    timeout_s: float = 20.0

    OPTIONS: ClassVar = ("allow_hosts", "allow_private", "max_bytes", "timeout_s")

    @classmethod
    def from_options(cls, options: Mapping[str, object]) -> FetchLimits:
        """The limits that a source's options set.

        Raises:
            ConfigError: one of them has a value of the wrong type.
        """
        return cls(
            allow_hosts=_hosts(options),
            allow_private=flag(options, "allow_private", default=False),
            max_bytes=int(_number(options, "max_bytes", 8 * 2**20, 256 * 2**20)),
            timeout_s=_number(options, "timeout_s", 20.0, 300.0),
        )

    def permits_private(self, host: str) -> bool:
        """Whether the host may be on a private network."""
        return self.allow_private or host.casefold().strip("[]") in self.allow_hosts


def _hosts(options: Mapping[str, object]) -> frozenset[str]:
    value = options.get("allow_hosts", [])
    hosts = cast("list[object]", value) if isinstance(value, list) else [None]
    names = [host.casefold() for host in hosts if isinstance(host, str)]
    if len(names) < len(hosts):
        raise ConfigError(
            "allow_hosts: expected a list of host names",
            hint="such as [wiki.example.org]",
        )
    return frozenset(names)


def _number(
    options: Mapping[str, object], name: str, default: float, maximum: float
) -> float:
    value = options.get(name, default)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < cast("float", value) <= maximum:
        raise ConfigError(f"{name}: expected a number above 0 and up to {maximum:g}")
    return cast("float", value)
