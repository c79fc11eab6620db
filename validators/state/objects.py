"""The objects of state that the contract or the run concerned, each with its expectations, changes and documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.validators._shared.state.changes import Actual, LeafChange
from judgemesh.validators._shared.state.document_checks import DocumentCheck
from judgemesh.validators._shared.state.documents import Examined
from judgemesh.validators._shared.values import Path
from judgemesh.validators.state.comparison import StateComparison
from judgemesh.validators.state.hollow import Hollow
from judgemesh.validators.state.outcomes import ChangeOutcome, Met

_OBJECT_SEGMENTS: Final = 2
_FILE_NAME: Final = re.compile(r"[^.]\.[A-Za-z][A-Za-z0-9]{0,4}\Z")
_NUMBERED: Final = re.compile(r"\d")


@dataclass(slots=True)
class StateObject:
    """What is known about one object: a file, a row, a ticket.

    `strays` are the changes of the object that nobody asked for.
    """

    outcomes: list[ChangeOutcome] = field(default_factory=list[ChangeOutcome])
    changes: list[LeafChange] = field(default_factory=list[LeafChange])
    strays: list[LeafChange] = field(default_factory=list[LeafChange])
    documents: list[Examined] = field(default_factory=list[Examined])
    hollow: list[Hollow] = field(default_factory=list[Hollow])

    @property
    def failed_checks(self) -> list[DocumentCheck]:
        """The checks of the object as a document that failed."""
        failed: list[DocumentCheck] = []
        for document in self.documents:
            for check in document.checks:
                if check.met is False:
                    failed.append(check)
        return failed

    @property
    def has_unmet_outcome(self) -> bool:
        """Whether an expectation did not come true, or is not known to."""
        return any(outcome.met is not Met.MET for outcome in self.outcomes)

    @property
    def is_troubled(self) -> bool:
        """Whether something is wrong with the object."""
        return bool(
            self.strays or self.has_unmet_outcome or self.failed_checks or self.hollow
        )


def state_objects(
    comparison: StateComparison,
    actual: Actual,
    documents: Sequence[Examined],
    hollow: Sequence[Hollow] = (),
) -> dict[Path, StateObject]:
    """Every object by its path. A change belongs to an object only where something was expected of it or it strayed."""
    objects: dict[Path, StateObject] = {}

    def object_at(path: Path) -> StateObject:
        return objects.setdefault(path, StateObject())

    for document in documents:
        object_at(document.path).documents.append(document)
    document_paths = list(objects)
    for outcome in comparison.outcomes:
        path = _object_path(outcome.expectation.path, document_paths)
        object_at(path).outcomes.append(outcome)
    for stray in (*comparison.side_effects, *comparison.forbidden):
        object_at(_object_path(stray.path, document_paths)).strays.append(stray)
    for empty in hollow:
        object_at(_object_path(empty.path, document_paths)).hollow.append(empty)
    for change in actual.changes:
        concerned = objects.get(_object_path(change.path, document_paths))
        if concerned is not None:
            concerned.changes.append(change)
    return objects


def _object_path(path: Path, document_paths: Sequence[Path]) -> Path:
    """The document that contains the path; else the file, the thing with a number, or the first two segments."""
    for document_path in document_paths:
        if path[: len(document_path)] == document_path:
            return document_path
    for is_name in (_FILE_NAME, _NUMBERED):
        for index, part in enumerate(path):
            if index and is_name.search(part):
                return path[: index + 1]
    return path[:_OBJECT_SEGMENTS]
