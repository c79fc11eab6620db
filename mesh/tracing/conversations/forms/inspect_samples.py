"""Samples of Inspect logs, JSON or archive: their messages, with the usage of all model calls."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.tracing.conversations.document import Document, parse
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.readers.zip_entry import UnreadableEntryError, entry_bytes
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    list_of,
    object_of,
    objects_of,
)

_QUOTES: Final = "tool call arguments:\n\n"
_EXPLAINS: Final = "\n\nError details:"
_HEADERS: Final = ("header.json", "_journal/start.json")
_SAMPLES: Final = "samples/"
_ATTACHED: Final = "attachment://"


def is_inspect_log(document: Document) -> bool:
    """Whether it is a log with samples, or an archive of one."""
    if document.source is not None and document.is_archive:
        return bool(set(_names(document.source.path)) & set(_HEADERS))
    return "eval" in document.first and is_list(document.first.get("samples"))


def inspect_samples(document: Document) -> Iterator[Record]:
    """The samples of each log.

    Raises:
        InputError: the archive is damaged.
    """
    if document.source is not None and document.is_archive:
        yield from _archived(document.source.path)
        return
    for log in document.objects:
        for sample in objects_of(log.get("samples")):
            yield _record(sample, _model(log))


def _names(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return []


def _archived(path: Path) -> Iterator[Record]:
    """The samples of an archive, one at a time."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        headers = [_entry(archive, name) for name in _HEADERS if name in names]
        model = next(filter(None, map(_model, headers)), None)
        for name in names:
            if name.startswith(_SAMPLES) and name.endswith(".json"):
                yield _record(_entry(archive, name), model)


def _entry(archive: zipfile.ZipFile, name: str) -> JsonObject:
    where = f"{archive.filename}: {name}"
    try:
        return object_of(parse(entry_bytes(archive, name).decode()))
    except (UnreadableEntryError, ValueError, RecursionError) as error:
        raise InputError(str(error), where=where) from None


def _model(log: JsonObject) -> str | None:
    model = object_of(log.get("eval")).get("model")
    return model if isinstance(model, str) else None


def _record(sample: JsonObject, model: str | None) -> Record:
    """One sample. The usage counts every model call, also those whose messages were dropped."""
    usages = [
        usage
        for usage in object_of(sample.get("model_usage")).values()
        if is_object(usage)
    ]
    attachments = object_of(sample.get("attachments"))
    epoch = sample.get("epoch")
    suffix = f"-{epoch}" if isinstance(epoch, int) and epoch > 1 else ""
    return Record(
        messages=[
            _message(_attached(message, attachments))
            for message in list_of(sample.get("messages"))
        ],
        id=f"{sample.get('id') or ''}{suffix}",
        model=model,
        usages=usages or None,
    )


def _attached(value: Any, attachments: JsonObject) -> Any:
    """A value with the texts that the log keeps apart."""
    if not attachments:
        return value
    if isinstance(value, str) and value.startswith(_ATTACHED):
        return attachments.get(value.removeprefix(_ATTACHED), value)
    if is_object(value):
        return {key: _attached(item, attachments) for key, item in value.items()}
    if is_list(value):
        return [_attached(item, attachments) for item in value]
    return value


def _message(message: Any) -> Any:
    """A message whose malformed calls hold the error that the parser met instead of arguments."""
    if not is_object(message) or not is_list(message.get("tool_calls")):
        return message
    return {**message, "tool_calls": list(map(_call, message["tool_calls"]))}


def _call(call: Any) -> Any:
    if not is_object(call) or not call.get("parse_error") or call.get("arguments"):
        return call
    return {**call, "arguments": _written(str(call["parse_error"]))}


def _written(problem: str) -> str:
    """The arguments that the parser's words quote; the words themselves where they quote none."""
    quoted = problem.partition(_QUOTES)[2].partition(_EXPLAINS)[0]
    return quoted or problem
