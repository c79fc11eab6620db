"""Which network addresses a source may connect to: public ones only, in any spelling. Pure."""

from __future__ import annotations

import ipaddress
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NOT_PUBLIC: Final = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, where clouds keep their metadata service
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",
        "::/128",
        "::1/128",
        "64:ff9b:1::/48",  # NAT64 of a local network
        "100::/64",
        "2001::/23",  # Teredo and other protocols
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_MAPPED: Final = ipaddress.ip_network("::ffff:0:0/96")
_COMPATIBLE: Final = ipaddress.ip_network("::/96")
_SIX_TO_FOUR: Final = ipaddress.ip_network("2002::/16")
_LOW32: Final = 0xFFFF_FFFF


def parse(text: str) -> Address | None:
    """An address as a resolver gives it, without the zone of a link-local one; None for anything else."""
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Whether it is on the public internet. An IPv6 address that embeds an IPv4 one must be public in both forms."""
    if any(
        address.version == network.version and address in network
        for network in _NOT_PUBLIC
    ):
        return False
    embedded = _embedded(address)
    return embedded is None or is_public(embedded)


def _embedded(address: Address) -> ipaddress.IPv4Address | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _MAPPED or address in _NAT64 or address in _COMPATIBLE:
        return ipaddress.IPv4Address(int(address) & _LOW32)
    if address in _SIX_TO_FOUR:
        return ipaddress.IPv4Address(int(address) >> 80 & _LOW32)
    return None
