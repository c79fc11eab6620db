"""`judgemesh view`: a live viewer of a ledger in the browser."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    LabelerOption,
    LedgerOption,
)
from judgemesh.mesh.cli.running import run_async

DEFAULT_PORT: Final = 8765


_LedgerArgumentArgument = Annotated[
    str | None,
    typer.Argument(metavar="LEDGER", help="The ledger; the same as --ledger."),
]
_PortOption = Annotated[
    int,
    typer.Option(
        "--port", metavar="N", min=0, max=65535, help="Port; 0 takes a free one."
    ),
]
_HostOption = Annotated[
    str,
    typer.Option(
        "--host",
        metavar="HOST",
        help="Interface to listen on. Any other than this machine's own asks browsers for a token.",
    ),
]
_AllowHostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="NAME",
        help="Also answer to this host name, as of a proxy. Repeatable.",
    ),
]
_TokenOption = Annotated[
    bool,
    typer.Option(
        "--token", help="Ask for a token on this machine too, where others use it."
    ),
]
_ReadOnlyOption = Annotated[
    bool, typer.Option("--read-only", help="Write nothing: no labels.")
]
_OpenBrowserOption = Annotated[
    bool, typer.Option("--open", help="Open the browser there.")
]


def view(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    ledger_argument: _LedgerArgumentArgument = None,
    *,
    ledger: LedgerOption = DEFAULT_LEDGER,
    port: _PortOption = DEFAULT_PORT,
    host: _HostOption = "127.0.0.1",
    allow_host: _AllowHostOption = None,
    token: _TokenOption = False,
    labeler: LabelerOption = None,
    read_only: _ReadOnlyOption = False,
    open_browser: _OpenBrowserOption = False,
) -> None:
    """Show runs, results, failures, costs and judges of a ledger in the browser, and collect labels.

    Runs in progress are followed. The viewer listens on this machine only, unless --host says otherwise. It needs
    `pip install "judgemesh[view]"`. Ctrl-C ends it.

    \b
    Examples:
      judgemesh view
      judgemesh view .judgemesh/ledger.db --port 9000
      judgemesh view postgresql://user@host/database --read-only
      judgemesh view --host 0.0.0.0 --allow-host evals.example.com
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.viewer.addresses import Addresses
    from judgemesh.mesh.viewer.serving import ViewQuery, serve

    if ledger_argument is not None:
        source = ctx.get_parameter_source("ledger")
        if source is not None and source.name == "COMMANDLINE":
            raise ConfigError("give the ledger once: as LEDGER or as --ledger")
        ledger = ledger_argument
    names = frozenset(name.lower() for name in allow_host or ())
    query = ViewQuery(
        ledger=ledger,
        addresses=Addresses(host, port, names),
        token=token,
        read_only=read_only,
        labeler=labeler,
    )

    def started(url: str) -> None:
        from judgemesh.mesh.cli.output import put

        put(f"judgemesh view: {url}  (Ctrl-C ends it)\n")
        if open_browser:
            import webbrowser

            webbrowser.open(url)

    try:
        run_async(serve(query, started))
    except KeyboardInterrupt:
        # Before the server was there; afterwards it ends by itself.
        raise typer.Exit from None
