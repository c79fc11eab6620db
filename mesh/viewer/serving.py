"""Serve a viewer until it is interrupted: the socket, the ledger, the server."""

from __future__ import annotations

import getpass
import secrets
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.viewer.addresses import Addresses

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger

LAST_REQUESTS_S: Final = 1
"""How long requests that are being answered may take once the viewer is interrupted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewQuery:
    """What is served and to whom.

    port: 0 takes a free one. token: whether a browser has to show one; always so for other interfaces than this
    machine's own. labeler: None takes the name of the user.
    """

    ledger: str
    addresses: Addresses
    token: bool = False
    read_only: bool = False
    labeler: str | None = None


async def serve(query: ViewQuery, started: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; `started` is told the address once the viewer answers there.

    Raises:
        ConfigError: the extra `view` is not installed, or the address is in use.
        LedgerError: the ledger cannot be opened.
    """
    try:
        # Asked for before anything is opened.
        for name in ("starlette", "uvicorn"):
            import_module(name)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"the viewer needs the package {error.name}",
            hint="pip install 'judgemesh[view]'",
        ) from None
    import uvicorn

    from judgemesh.mesh.viewer.app import create_app
    from judgemesh.mesh.viewer.security import Access
    from judgemesh.mesh.viewer.viewer import Viewer

    bound = bind(query.addresses)
    try:
        addresses = replace(query.addresses, port=bound.getsockname()[1])
        is_asked = query.token or not addresses.is_local
        access = Access(addresses, secrets.token_urlsafe(24) if is_asked else None)
        async with await open_ledger(query.ledger, read_only=query.read_only) as ledger:
            viewer = Viewer(
                ledger=ledger,
                access=access,
                labeler=query.labeler or user_name(),
                read_only=query.read_only,
            )
            config = uvicorn.Config(
                create_app(viewer),
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=LAST_REQUESTS_S,
            )
            url = addresses.url
            if access.token is not None:
                url = f"{url}?token={access.token}"
            server = uvicorn.Server(config)

            def stop(*_: object) -> None:
                server.should_exit = True

            # The server gives each signal on when it has ended: nothing is left for it to do then.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, stop)
            # The socket listens: who comes before the server does waits and is answered.
            bound.listen()
            started(url)
            await server.serve(sockets=[bound])
    finally:
        bound.close()


async def open_ledger(url: str, *, read_only: bool) -> Ledger:
    """A ledger that is there. Open for writing it is brought up to date, as `judgemesh grade` does.

    Raises:
        LedgerError: there is none, or it cannot be opened.
    """
    from judgemesh.mesh.ledger.engines import parse_address
    from judgemesh.mesh.ledger.store import Ledger

    path = parse_address(url).path
    is_there = path is None or path.exists()
    return await Ledger.open(url, read_only=read_only or not is_there)


def bind(addresses: Addresses) -> socket.socket:
    """A socket of that interface and port.

    Raises:
        ConfigError: the port is in use, or the machine has no such interface.
    """
    where = f"{addresses.host}:{addresses.port}"
    try:
        found = socket.getaddrinfo(
            addresses.host, addresses.port, type=socket.SOCK_STREAM
        )
        family, kind, protocol, _, address = found[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ConfigError(f"{where} is no address: {error.strerror}") from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise ConfigError(
            f"cannot listen on {where}: {error.strerror}",
            hint="--port N takes another port, --port 0 a free one",
        ) from None
    return bound


def user_name() -> str:
    """The name that labels get where nobody says another."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "labeler"
