"""The evidence source `directory`: files below a folder, named by path, file name or title, and searched for quotes."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.identifiers import SCHEMES, fold
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.contracts.text.passages import is_in_text
from judgemesh.mesh.inputs.files.limits import SOURCE_DOCUMENT
from judgemesh.mesh.inputs.files.reading import read_file
from judgemesh.mesh.sources.evidence.document_text import (
    SUFFIXES,
    SourceDocument,
    read_untrusted,
)
from judgemesh.mesh.sources.evidence.json_answers import without_empty
from judgemesh.mesh.sources.evidence.names import forms_of, has_kin, is_path_of
from judgemesh.mesh.sources.evidence.relevance import most_relevant
from judgemesh.mesh.sources.options import check_names, flag, required_text
from judgemesh.mesh.sources.protocols import SourceInaccessible

_MAX_FILES: Final = 10_000
_MAX_CACHED_CHARS: Final = 256 * 2**20
_MIN_TITLE_SCORE: Final = 80.0
_TRIED_AGAIN_AFTER_S: Final = 60.0
_MAX_EXCERPT_CHARS: Final = 20_000
"""Enough of a text to see whether it is what a title says."""


_Stamp = tuple[int, int]
"""When a file was modified, in nanoseconds, and its size in bytes."""


class DirectoryDocuments:
    """Files below a folder: `{type: directory, path: sources/}`. `pattern` (such as `*.md`) limits which.

    A document is cited by its path below the folder, its file name or its title. Links that lead out of the folder
    are not followed.
    """

    remote = False

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        check_names(options, "path", "pattern", "authoritative")
        self._root = base_dir / required_text(options, "path", "sources/")
        self._pattern = _file_pattern(options)
        self._authoritative = flag(options, "authoritative", default=False)
        self._documents = _DocumentCache()

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The document that the query names, or that holds a passage.

        Raises:
            SourceInaccessible: the folder or a document cannot be read.
        """
        from anyio import to_thread

        return await to_thread.run_sync(self._lookup, need, abandon_on_cancel=True)

    async def check(self) -> tuple[str, ...]:
        """List the documents.

        Raises:
            SourceInaccessible: the folder cannot be read.
        """
        from anyio import to_thread

        if await to_thread.run_sync(self._files):
            return ()
        return (f"{self._root} holds no document that can be read",)

    async def aclose(self) -> None:
        """Drop the texts."""
        self._documents.clear()

    def _lookup(self, need: Lookup) -> Found | NotFound:
        files = self._files()
        query = need.query
        for scheme in ("id", "url"):
            if scheme in query:
                name = query[scheme]
                path = self._by_any_name(name, files)
                kin = path is None and has_kin(name, map(self._name_of, files))
                return self._answer(path, need, covers=scheme == "id", kin=kin)
        if any(scheme in query for scheme in SCHEMES):
            return self._answer(None, need, covers=False)
        if "title" in query:
            path = self._by_any_name(query["title"], files)
            if path is None:
                path = self._by_title(query["title"], files)
            return self._answer(path, need)
        if "quote" in query:
            return self._answer(self._by_passage(query["quote"], files), need)
        if "about" in query:
            return self._answer(self._by_words(query["about"], files), need)
        return self._answer(None, need, covers=False)

    def _files(self) -> list[Path]:
        files: list[Path] = []
        try:
            root = self._root.resolve(strict=True)
            if not root.is_dir():
                raise SourceInaccessible(f"{self._root} is no folder")
            for path in sorted(root.rglob(self._pattern)):
                if path.suffix.casefold() not in SUFFIXES or not path.is_file():
                    continue
                if not path.resolve().is_relative_to(root):
                    continue
                files.append(path)
                if len(files) > _MAX_FILES:
                    raise SourceInaccessible(
                        f"{self._root} holds more than {_MAX_FILES} documents"
                    )
        except (OSError, ValueError) as error:
            raise SourceInaccessible(f"{self._root} cannot be read: {error}") from None
        return files

    def _name_of(self, path: Path) -> str:
        return path.relative_to(self._root.resolve()).as_posix()

    def _by_any_name(self, name: str, files: Sequence[Path]) -> Path | None:
        """The file that a name means: by path or file name, else by its exact title.

        Only listed files are compared, so no path leads out.
        """
        forms = forms_of(name)
        for form in forms:
            path = self._by_name(form, files)
            if path is not None:
                return path
        titles = set(map(fold, forms)) - {""}
        for path in files:
            if fold(self._document(path).title) in titles:
                return path
        return None

    def _by_name(self, name: str, files: Sequence[Path]) -> Path | None:
        """The file of that path, else the only one of that name."""
        root = self._root.resolve()
        plain_name = name.replace("\\", "/").removeprefix("file://")
        plain_name = plain_name.removeprefix("./").casefold()
        for path in files:
            if self._name_of(path).casefold() == plain_name:
                return path
        named = [path for path in files if path.name.casefold() == plain_name]
        if not named:
            for path in files:
                if is_path_of(name, self._name_of(path), root.name):
                    named.append(path)
        return named[0] if len(named) == 1 else None

    def _by_title(self, title: str, files: Sequence[Path]) -> Path | None:
        """The file whose title is nearest, if one is near."""
        from rapidfuzz import fuzz

        folded_title = fold(title)
        best, best_score = None, 0.0
        for path in files:
            document_title = fold(self._document(path).title)
            score = fuzz.ratio(folded_title, document_title)
            if score > best_score:
                best, best_score = path, score
        return best if folded_title and best_score >= _MIN_TITLE_SCORE else None

    def _by_passage(self, passage: str, files: Sequence[Path]) -> Path | None:
        partly_read = ""
        for path in files:
            document = self._document(path)
            if is_in_text(passage, document.text):
                return path
            if not document.is_whole:
                partly_read = self._name_of(path)
        if partly_read:
            raise SourceInaccessible(
                f"{partly_read} could be read only in part, and the passage may be in the rest"
            )
        return None

    def _by_words(self, statement: str, files: Sequence[Path]) -> Path | None:
        texts = [self._document(path).text for path in files]
        number = most_relevant(statement, texts)
        return None if number is None else files[number]

    def _answer(
        self,
        path: Path | None,
        need: Lookup,
        *,
        covers: bool = True,
        kin: bool = False,
    ) -> Found | NotFound:
        """The document as the answer, or that there is none. `covers`, `kin`: as in `NotFound`."""
        if path is None:
            return NotFound(
                source=str(self._root),
                authoritative=self._authoritative and covers,
                covers=covers,
                kin=kin,
            )
        document = self._document(path)
        name = path.relative_to(self._root.resolve()).as_posix()
        fields: dict[str, object] = {
            "title": document.title,
            "authors": list(document.authors),
            "years": [] if document.year is None else [document.year],
            "ids": {"id": [name.casefold()]},
            "schemes": ["id"],
            # A file's title is a heading or a first line, as a web page's, not a bibliographic one.
            "web_page": True,
            "text": document.text[: None if need.want_text else _MAX_EXCERPT_CHARS],
            "excerpt": not document.is_whole,
        }
        return Found(
            ref=name,
            fields=without_empty(fields),
            source=str(self._root),
            authoritative=self._authoritative,
        )

    def _document(self, path: Path) -> SourceDocument:
        return self._documents.read(path)


def _file_pattern(options: Mapping[str, object]) -> str:
    pattern = options.get("pattern", "*")
    if not isinstance(pattern, str):
        raise ConfigError("pattern: expected a file pattern such as *.md")
    if pattern.startswith(("/", "..")) or "/../" in pattern:
        raise ConfigError("pattern: expected a file pattern such as *.md")
    return pattern


def _why(path: Path, error: OSError) -> str:
    return f"{path.name} cannot be read: {error.strerror or error}"


def _read(path: Path) -> SourceDocument:
    return read_untrusted(read_file(path, SOURCE_DOCUMENT), path.suffix)


class _DocumentCache:
    """Documents that were read, each until its file changes. Bounded by the size of their texts.

    A file that cannot be read is tried again when it changes, or a minute later: a reader that is killed at its time
    limit takes that time for each look-up otherwise.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._documents: dict[Path, tuple[_Stamp, SourceDocument]] = {}
        self._unreadable: dict[Path, tuple[_Stamp, float, str]] = {}
        self._chars = 0

    def read(self, path: Path) -> SourceDocument:
        """The document in the file.

        Raises:
            SourceInaccessible: it cannot be read.
        """
        with self._lock:
            try:
                stat = path.stat()
                stamp = (stat.st_mtime_ns, stat.st_size)
                cached = self._documents.get(path)
                if cached is not None and cached[0] == stamp:
                    return cached[1]
            except OSError as error:
                raise SourceInaccessible(_why(path, error)) from None
            self._check_unreadable(path, stamp)
            try:
                document = _read(path)
            except OSError as error:
                raise SourceInaccessible(_why(path, error)) from None
            except SourceInaccessible as error:
                reason = f"{path.name} {error}"
                self._unreadable[path] = (stamp, time.monotonic(), reason)
                raise SourceInaccessible(reason) from None
            self._keep(path, stamp, document)
            return document

    def _check_unreadable(self, path: Path, stamp: _Stamp) -> None:
        """Raise again why a file could not be read a moment ago."""
        known_stamp, at_s, reason = self._unreadable.get(path, (None, 0.0, ""))
        if known_stamp == stamp and time.monotonic() - at_s < _TRIED_AGAIN_AFTER_S:
            raise SourceInaccessible(reason)

    def _keep(self, path: Path, stamp: _Stamp, document: SourceDocument) -> None:
        if path in self._documents:
            _, replaced = self._documents.pop(path)
            self._chars -= len(replaced.text)
        if self._chars + len(document.text) > _MAX_CACHED_CHARS:
            self._documents.clear()
            self._chars = 0
        self._documents[path] = (stamp, document)
        self._chars += len(document.text)

    def clear(self) -> None:
        """Drop all documents."""
        with self._lock:
            self._documents.clear()
            self._unreadable.clear()
            self._chars = 0
