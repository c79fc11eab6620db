"""Write the output files of a run, with a line on stderr that says how far each is."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from judgemesh.mesh.cli.progress import CountLine, shows_bar

if TYPE_CHECKING:
    from judgemesh.mesh.reporting.files.write import Graded

T = TypeVar("T")
_EVERY: Final = 50


async def write_outputs(
    paths: Sequence[Path], graded: Graded, *, quiet: bool = False
) -> None:
    """Write each output file; at a terminal a line counts its results.

    Raises:
        ConfigError: a file cannot be written.
    """
    from judgemesh.mesh.reporting.files.write import write_output

    wanted = bool(paths) and shows_bar(quiet=quiet)
    with CountLine(shows_bar=wanted) as line:
        for path in paths:
            counted = replace(
                graded,
                reports=_counted(graded.reports, f"writing {path.name}: read", line),
                pages=_counted(graded.pages, f"writing {path.name}: written", line),
            )
            await write_output(path, counted)


def _counted(
    source: Callable[[], AsyncIterable[T]], what: str, line: CountLine
) -> Callable[[], AsyncIterator[T]]:
    async def stream() -> AsyncIterator[T]:
        count = 0
        async for item in source():
            if count % _EVERY == 0:
                line(f"{what} {count:,} results")
            count += 1
            yield item

    return stream
