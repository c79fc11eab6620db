"""The base of evidence sources on the network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from judgemesh.mesh.sources.http.fetcher import Fetcher
from judgemesh.mesh.sources.http.limits import FetchLimits
from judgemesh.mesh.sources.options import check_names, flag


class NetworkSource:
    """An evidence source that fetches its answers. `OPTIONS` names the options of the kind."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()
    remote = True

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        del base_dir  # a server is at no path
        check_names(options, *self.OPTIONS, "authoritative", *FetchLimits.OPTIONS)
        self._authoritative = flag(options, "authoritative", default=True)
        self._fetcher = Fetcher(FetchLimits.from_options(options))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._fetcher.aclose()
