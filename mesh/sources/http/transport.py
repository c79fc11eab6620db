"""An HTTP transport that connects only to addresses that were checked.

A name is resolved once, every address it has is checked, and the connection goes to a checked address: a name that
changes its address between check and connection (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import socket
from functools import cache
from typing import TYPE_CHECKING, Final

import anyio

from judgemesh.mesh.sources.http.addresses import is_public, parse
from judgemesh.mesh.sources.http.limits import FetchLimits
from judgemesh.mesh.sources.protocols import SourceInaccessible

if TYPE_CHECKING:
    import ssl

    import httpx

PORTS: Final = {"http": 80, "https": 443}
_MAX_CONNECTIONS: Final = 16


class Blocked(SourceInaccessible):
    """The address is not one that a source may ask."""


def guarded_transport(limits: FetchLimits) -> httpx.AsyncBaseTransport:
    """A transport that connects only to checked addresses.

    No connection is reused, because one address may serve many names.
    """
    import httpx

    pool = httpx.Limits(max_connections=_MAX_CONNECTIONS, max_keepalive_connections=0)
    inner = httpx.AsyncHTTPTransport(
        verify=_certificates(), trust_env=False, retries=0, limits=pool
    )

    class _Guarded(httpx.AsyncBaseTransport):
        """Resolves, checks, and connects to a checked address. The name stays in `Host` and in the TLS handshake."""

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            host = request.url.host
            port = request.url.port or PORTS[request.url.scheme]
            failure: httpx.TransportError = httpx.ConnectError(f"{host} has no address")
            for address in await _checked_addresses(host, port, limits):
                try:
                    return await inner.handle_async_request(
                        _addressed(request, address)
                    )
                except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                    failure = error
            raise failure

        async def aclose(self) -> None:
            await inner.aclose()

    return _Guarded()


@cache
def _certificates() -> ssl.SSLContext:
    """The certificates that are trusted. Reading them takes a tenth of a second: once for all sources."""
    import httpx

    return httpx.create_ssl_context(trust_env=False)


def _addressed(request: httpx.Request, address: str) -> httpx.Request:
    """The request, sent to the address in place of its host name."""
    import httpx

    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )


async def _checked_addresses(host: str, port: int, limits: FetchLimits) -> list[str]:
    """All addresses of a host, resolved once, if each of them may be asked.

    Raises:
        Blocked: one of them is not public.
        SourceInaccessible: the name cannot be resolved.
    """
    try:
        entries = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SourceInaccessible(
            f"{host} cannot be resolved: {one_line(error)}"
        ) from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    if limits.permits_private(host):
        return addresses
    for text in addresses:
        address = parse(text)
        if address is None or not is_public(address):
            raise Blocked(
                f"{host} leads to {text}, which is no public address; `allow_hosts` permits it"
            )
    return addresses


def one_line(error: Exception) -> str:
    """The text of an error in one line of at most 300 characters."""
    return " ".join(str(error).split())[:300] or "no reason given"
