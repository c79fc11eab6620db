"""A folder of documents as a source: items are files, named by their path, found by title too, and read for quotes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.identifiers import SCHEMES, fold
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.mesh.sources.catalogue import fold_long
from judgemesh.mesh.sources.evidence import flag
from judgemesh.mesh.sources.protocol import SourceInaccessible
from judgemesh.mesh.sources.rows import known_options, text_option
from judgemesh.mesh.sources.texts import SUFFIXES, Document, read_document

_MAX_FILES: Final = 10_000
_MAX_FILE_BYTES: Final = 64 * 2**20
_KEPT_TEXT: Final = 256 * 2**20
_NEAR: Final = 80.0
_MIN_QUOTE: Final = 12


class DirectoryDocuments:
    """Files below a folder: `{type: directory, path: sources/}`. `pattern` (such as `*.md`) limits which.

    A document is cited by its path below the folder, its file name or its title. Links that lead out of the folder
    are not followed.
    """

    remote = False

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        known_options(options, "path", "pattern", "authoritative")
        self._root = base_dir / text_option(options, "path", "sources/")
        pattern = options.get("pattern", "*")
        if (
            not isinstance(pattern, str)
            or pattern.startswith(("/", ".."))
            or "/../" in pattern
        ):
            raise ConfigError("pattern: expected a file pattern such as *.md")
        self._pattern = pattern
        self._authoritative = flag(options, "authoritative", default=False)
        self._lock = threading.Lock()
        self._read: dict[Path, tuple[tuple[int, int], Document]] = {}
        self._kept = 0

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The document that the query names, or that holds a passage.

        Raises:
            SourceInaccessible: the folder or a document cannot be read.
        """
        from anyio import to_thread

        return await to_thread.run_sync(self._lookup, need)

    async def aclose(self) -> None:
        """Forget the texts."""
        with self._lock:
            self._read.clear()
            self._kept = 0

    def _lookup(self, need: Lookup) -> Found | NotFound:
        files = self._files()
        query = need.query
        for scheme in ("id", "url"):
            if scheme in query:
                path = self._named(query[scheme], files)
                return (
                    self._found(path, need)
                    if path
                    else self._missing(covers=scheme == "id")
                )
        if any(scheme in query for scheme in SCHEMES):
            return self._missing(covers=False)
        if "title" in query:
            path = self._named(query["title"], files) or self._titled(
                query["title"], files
            )
            return self._found(path, need) if path else self._missing()
        return self._quoting(query.get("quote", ""), files, need)

    def _files(self) -> list[Path]:
        try:
            root = self._root.resolve(strict=True)
            if not root.is_dir():
                raise SourceInaccessible(f"{self._root} is no folder")
            found: list[Path] = []
            for path in sorted(root.rglob(self._pattern)):
                if (
                    path.suffix.casefold() in SUFFIXES
                    and path.is_file()
                    and path.resolve().is_relative_to(root)
                ):
                    found.append(path)
                    if len(found) > _MAX_FILES:
                        raise SourceInaccessible(
                            f"{self._root} holds more than {_MAX_FILES} documents"
                        )
        except (OSError, ValueError) as fault:
            raise SourceInaccessible(f"{self._root} cannot be read: {fault}") from None
        return found

    def _named(self, name: str, files: list[Path]) -> Path | None:
        """The file of that path or name. Only listed files are compared, so that no path can lead elsewhere."""
        root = self._root.resolve()
        wanted = (
            unquote(name)
            .replace("\\", "/")
            .removeprefix("file://")
            .removeprefix("./")
            .casefold()
        )
        by_path = [
            path
            for path in files
            if path.relative_to(root).as_posix().casefold() == wanted
        ]
        by_name = [path for path in files if path.name.casefold() == wanted] or [
            path for path in files if fold(path.stem) == fold(wanted)
        ]
        return next(iter(by_path), None) or (by_name[0] if len(by_name) == 1 else None)

    def _titled(self, title: str, files: list[Path]) -> Path | None:
        from rapidfuzz import fuzz

        wanted = fold(title)
        best: tuple[float, Path] | None = None
        for path in files:
            held = fold(self._document(path).title)
            score = 100.0 if wanted == held else fuzz.ratio(wanted, held)
            if wanted and score >= _NEAR and (best is None or score > best[0]):
                best = (score, path)
        return best[1] if best else None

    def _quoting(self, quote: str, files: list[Path], need: Lookup) -> Found | NotFound:
        wanted = fold(quote)
        if len(wanted) < _MIN_QUOTE:
            return self._missing(covers=False)
        for path in files:
            if wanted in " ".join(fold_long(self._document(path).text)):
                return self._found(path, need)
        return self._missing()

    def _found(self, path: Path, need: Lookup) -> Found:
        document = self._document(path)
        name = path.relative_to(self._root.resolve()).as_posix()
        fields: dict[str, object] = {
            "title": document.title,
            "authors": list(document.authors),
            "years": [] if document.year is None else [document.year],
            "ids": {"id": [name.casefold()]},
            "schemes": ["id"],
            "web_page": True,  # a file's title is a heading or a first line, not a bibliographic one
        }
        if need.want_text:
            fields["text"] = document.text
        kept = {key: value for key, value in fields.items() if value}
        return Found(
            ref=name,
            fields=kept,
            source=str(self._root),
            authoritative=self._authoritative,
        )

    def _missing(self, *, covers: bool = True) -> NotFound:
        return NotFound(
            source=str(self._root),
            authoritative=self._authoritative and covers,
            covers=covers,
        )

    def _document(self, path: Path) -> Document:
        with self._lock:
            try:
                stat = path.stat()
                stamp = (stat.st_mtime_ns, stat.st_size)
                kept = self._read.get(path)
                if kept is not None and kept[0] == stamp:
                    return kept[1]
                if stat.st_size > _MAX_FILE_BYTES:
                    raise SourceInaccessible(
                        f"{path.name} is larger than {_MAX_FILE_BYTES // 2**20} MiB"
                    )
                data = path.read_bytes()
            except OSError as fault:
                raise SourceInaccessible(
                    f"{path.name} cannot be read: {fault.strerror or fault}"
                ) from None
            try:
                document = read_document(data, path.suffix)
            except SourceInaccessible as fault:
                raise SourceInaccessible(f"{path.name} {fault}") from None
            if self._kept + len(document.text) > _KEPT_TEXT:
                self._read.clear()
                self._kept = 0
            self._read[path] = (stamp, document)
            self._kept += len(document.text)
            return document
