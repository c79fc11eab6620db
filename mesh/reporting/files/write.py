"""Output files: the suffix picks the format, `FORMATS` is the list of them.

A file appears under its name only when it is complete: it is written beside it and then renamed.
"""

from __future__ import annotations

import os
from collections.abc import (
    AsyncIterable,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import Report
from judgemesh.contracts.text.printable_json import printable
from judgemesh.mesh.inputs.replaceable import check_replaceable
from judgemesh.mesh.reporting.files.jsonl import write_jsonl
from judgemesh.mesh.reporting.files.junit import write_junit
from judgemesh.mesh.reporting.files.markdown import write_markdown
from judgemesh.mesh.reporting.files.otlp import write_otlp
from judgemesh.mesh.reporting.files.parquet import write_parquet
from judgemesh.mesh.reporting.files.spreadsheet import write_csv

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.results.result_page import ResultPage
    from judgemesh.mesh.analysis.versions.comparison import VersionComparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """What outputs are written from.

    summary: the JSON summary object of the run.
    reports: gives the run's reports in input order, as a stream, each time it is called.
    pages: the same for the pages of its results, with all that the ledger holds of them.
    baseline: the change since another run; None where none was named.
    """

    run_id: str
    summary: Mapping[str, object]
    reports: Callable[[], AsyncIterable[Report]]
    pages: Callable[[], AsyncIterable[ResultPage]]
    baseline: VersionComparison | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of output file. needs: a package that writes it, which the extra of that name installs."""

    title: str
    write: Callable[[BinaryIO, Graded], Awaitable[None]]
    needs: tuple[str, str] | None = None


async def _jsonl(file: BinaryIO, graded: Graded) -> None:
    await write_jsonl(file, graded.reports())


async def _junit(file: BinaryIO, graded: Graded) -> None:
    await write_junit(file, graded.reports(), name=f"judgemesh {graded.run_id}")


async def _markdown(file: BinaryIO, graded: Graded) -> None:
    await write_markdown(file, graded.summary, graded.reports())


async def _csv(file: BinaryIO, graded: Graded) -> None:
    await write_csv(file, graded.reports())


async def _parquet(file: BinaryIO, graded: Graded) -> None:
    await write_parquet(file, graded.reports(), run_id=graded.run_id)


async def _otlp(file: BinaryIO, graded: Graded) -> None:
    await write_otlp(file, graded.reports(), run_id=graded.run_id)


async def _summary(file: BinaryIO, graded: Graded) -> None:
    import orjson

    encoded = orjson.dumps(
        dict(graded.summary), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    )
    file.write(printable(encoded.decode()).encode())


async def _html(file: BinaryIO, graded: Graded) -> None:
    from judgemesh.mesh.analysis.results.loading import run_page_of
    from judgemesh.mesh.reporting.html.run_report import write_run_report

    run = await run_page_of(
        graded.reports(), run_id=graded.run_id, baseline=graded.baseline
    )
    warnings = cast("list[str]", graded.summary.get("warnings") or [])
    await write_run_report(file, run, graded.pages(), warnings=warnings)


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        ".otlp.jsonl": Format("OpenTelemetry evaluation events, OTLP JSON", _otlp),
        ".html": Format("the run with a page for each result, one HTML file", _html),
        ".jsonl": Format("reports, one JSON object a line", _jsonl),
        ".csv": Format("a row a result, for spreadsheets", _csv),
        ".parquet": Format(
            "a row a result, for data tools", _parquet, needs=("pyarrow", "parquet")
        ),
        ".xml": Format("JUnit XML, one test case a result", _junit),
        ".md": Format("the summary for a CI job, Markdown", _markdown),
        ".json": Format("the summary, one JSON object", _summary),
    }
)
"""By the end of the file's name; the longest end that fits counts."""


def suffix_of(path: Path) -> str | None:
    """The end of a name that decides the format of an output; None for an unknown one."""
    name = path.name.lower()
    return next(filter(name.endswith, sorted(FORMATS, key=len, reverse=True)), None)


def is_page(path: Path) -> bool:
    """Whether the format of an output is the HTML report."""
    return path.suffix.lower() == ".html"


def formats_line() -> str:
    """`.jsonl (reports...), .xml (...)`: for messages."""
    return ", ".join(f"{suffix} ({kind.title})" for suffix, kind in FORMATS.items())


def check_outputs(paths: Sequence[Path], *, inputs: Iterable[Path] = ()) -> None:
    """See to it that every output can be written, before any work is done; makes missing folders.

    Args:
        paths: the output files asked for.
        inputs: files that are read, which no output may replace.

    Raises:
        ConfigError: an unknown suffix, a package that is not installed, the same file twice, an input, a file that
            judgemesh did not write, or no permission to write there.
    """
    unavailable = {path.resolve() for path in inputs}
    for path in paths:
        suffix = suffix_of(path)
        if suffix is None:
            raise ConfigError(
                "cannot tell the output format from the name",
                where=str(path),
                hint=f"use one of {formats_line()}",
            )
        if path.resolve() in unavailable:
            raise ConfigError(
                "would replace a file that is also read or written",
                where=str(path),
                hint="choose another name",
            )
        unavailable.add(path.resolve())
        if path.is_dir():
            raise ConfigError("is a folder", where=str(path), hint="name a file in it")
        _check_installed(FORMATS[suffix], path)
        check_replaceable(path, suffix)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with _beside(path):
                pass
        except OSError as error:
            raise _cannot_write(path, error) from None


def _check_installed(kind: Format, path: Path) -> None:
    if kind.needs is None:
        return
    package, extra = kind.needs
    if find_spec(package) is None:
        raise ConfigError(
            f"needs the package {package}",
            where=str(path),
            hint=f'pip install "judgemesh[{extra}]"',
        )


async def write_output(path: Path, graded: Graded) -> None:
    """Write one output file.

    Raises:
        ConfigError: it cannot be written (the disk is full, the folder is gone).
    """
    try:
        with _beside(path) as (file, temporary):
            await FORMATS[suffix_of(path) or ""].write(file, graded)
            file.flush()
            temporary.replace(path)
    except OSError as error:
        raise _cannot_write(path, error) from None


@contextmanager
def _beside(path: Path) -> Generator[tuple[BinaryIO, Path], None, None]:
    """A new file in the folder of `path`, gone at the end unless it was renamed."""
    temporary = path.with_name(f".{path.name[:100]}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        try:
            yield file, temporary
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()


def _cannot_write(path: Path, error: OSError) -> ConfigError:
    return ConfigError(f"cannot be written: {error.strerror or error}", where=str(path))
