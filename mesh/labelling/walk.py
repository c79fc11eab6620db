"""A labelling session: screens, keys, and each decision written before the next screen."""

from __future__ import annotations

import getpass
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TextIO, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.grading.contract_check.check import load_contracts
from judgemesh.mesh.labelling.choose import ResultChoice, choose, read_reference
from judgemesh.mesh.labelling.keyboard import Keyboard
from judgemesh.mesh.labelling.labelled_set import LabelledSet, contract_name
from judgemesh.mesh.labelling.ledger_copy import LedgerCopy
from judgemesh.mesh.labelling.log import LabelLog
from judgemesh.mesh.labelling.reference import calibrate
from judgemesh.mesh.labelling.screen import render
from judgemesh.mesh.labelling.session import End, State, View, press, scrolled, start
from judgemesh.mesh.labelling.summary import Summary
from judgemesh.mesh.labelling.terminal import ScreenWriter
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from judgemesh.mesh.inputs.contracts import ContractSet
    from judgemesh.mesh.labelling.reference import ReviewerCalibration

INTERRUPTED: Final = "interrupted"
_END_OF_INPUT: Final = "end of input"
_ENDINGS: Final = {"interrupt": INTERRUPTED, "eof": _END_OF_INPUT}
_MAX_NAME: Final = 200
_REFERENCE: Final = "reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkQuery:
    """What is labelled, by whom, and where the labels are written.

    blind: the reference is not shown before all is labelled.
    again: labelled results are asked again, after the others.
    """

    results: tuple[Path, ...]
    contracts: tuple[Path, ...] = ()
    out: Path | None = None
    labeler: str | None = None
    reference: Path | None = None
    blind: bool = False
    choice: ResultChoice = field(default_factory=ResultChoice)
    again: bool = False
    ledger: str | None = None


class ProblemSink(Protocol):
    """Takes problems while it is open."""

    def __enter__(self) -> Callable[[str], None]:
        """What is called with each problem."""
        ...

    def __exit__(self, *_: object) -> None:
        """All problems were passed on."""
        ...


def walk(
    query: WalkQuery,
    screens: TextIO,
    *,
    rejected: ProblemSink,
    warn: Callable[[str], None],
) -> Summary:
    """Label until all is labelled, the person quits, or the input ends.

    Args:
        query: what is labelled.
        screens: where screens are written.
        rejected: takes each line that cannot be read as a result.
        warn: called with a line about results without a contract.

    Raises:
        InputError: a file, a flag or a label file that cannot be used.
        LedgerError: the ledger cannot be read or written.
    """
    labeler = _labeler(query.labeler)
    if query.blind and query.reference is None:
        raise ConfigError(
            "there is nothing to hide", where="--blind", hint="give --reference too"
        )
    contracts = load_contracts(query.contracts) if query.contracts else None
    reference = read_reference(query.reference) if query.reference else None
    out = query.out or Path(f"labels-{_file_name(labeler)}.jsonl")
    _check_out(out, query)
    with rejected as problems:
        chosen = choose(query.results, query.choice, reference, problems)
    drawn = "at_random" if query.choice.shuffle else "chosen"
    log = LabelLog.open(out)
    try:
        labelled = LabelledSet(
            chosen, contracts, reference or {}, labeler, log, drawn=drawn
        )
        _warn_of_missing_contracts(labelled, contracts, warn)
        with LedgerCopy.open(query.ledger, labelled) as copy:
            state, ended = _session(labelled, copy, screens, query)
    finally:
        log.close()
    return _summary(labelled, state, ended, out, query)


# --- what is asked for ---


def _labeler(name: str | None) -> str:
    if name is None:
        try:
            name = getpass.getuser()
        except (KeyError, OSError):
            raise ConfigError(
                "this user has no name here", hint="give --labeler NAME"
            ) from None
    labeler = name.strip()
    if not labeler or len(labeler) > _MAX_NAME or not labeler.isprintable():
        raise ConfigError(
            "a name is printable and not empty",
            where="--labeler",
            hint=f"got {name[:80]!r}",
        )
    if labeler.casefold() == _REFERENCE:
        raise ConfigError(
            "`reference` is the name of the canonical labels",
            where="--labeler",
            hint="another name",
        )
    return labeler


def _file_name(labeler: str) -> str:
    characters = ""
    for character in labeler:
        allowed = character.isalnum() or character in "-_."
        characters += character if allowed else "_"
    return characters


def _check_out(out: Path, query: WalkQuery) -> None:
    """Refuse to write labels into a file that is read."""
    inputs = [*query.results]
    if query.reference is not None:
        inputs.append(query.reference)
    for path in inputs:
        if out.exists() and path.exists() and out.samefile(path):
            raise ConfigError(
                "is read by this command, so labels cannot be written there",
                where=str(out),
                hint="give --out FILE",
            )


def _warn_of_missing_contracts(
    labelled: LabelledSet, contracts: ContractSet | None, warn: Callable[[str], None]
) -> None:
    if contracts is None:
        return
    names = {contract_name(choice) for choice in labelled.chosen.values()}
    missing = [name for name in names if contracts.find(name) is None]
    if missing:
        tasks, first = plural(len(missing), "task"), one_line(min(missing), 80)
        warn(f"{tasks} without a contract, so without sub-goals; the first is {first}")


# --- the session ---


def _session(
    labelled: LabelledSet, copy: LedgerCopy, screens: TextIO, query: WalkQuery
) -> tuple[State, str]:
    """Ask until the end; the last state, and why the session ended."""
    queue = labelled.queue(again=query.again)
    seconds = [label.seconds for label in labelled.labels.values()]
    state = start(
        queue,
        now_s=time.monotonic(),
        before=len(labelled.chosen) - len(queue),
        revealed=frozenset() if query.blind else frozenset(labelled.reference),
        paces=tuple(value for value in seconds if value is not None),
    )
    if state.end is not None:
        return state, End.DONE.value
    # None if the parent process closed it.
    keys = cast("TextIO | None", sys.stdin)
    if keys is None:
        raise ConfigError("there are no keys to read: standard input is closed")
    writer = ScreenWriter(screens)
    with Keyboard(keys) as keyboard:
        try:
            last, ended = _ask(writer, keyboard, labelled, copy, state)
        except BrokenPipeError:
            # Nobody reads the screens any more; the interpreter must not fail on it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), screens.fileno())
            return state, _END_OF_INPUT
        finally:
            writer.leave()
    if ended == _END_OF_INPUT and not keyboard.is_used and not keys.isatty():
        raise ConfigError(
            "there are no keys to read: standard input ended before the first",
            hint="label in a terminal, or pipe the keys in",
        )
    return last, ended


def _ask(
    writer: ScreenWriter,
    keyboard: Keyboard,
    labelled: LabelledSet,
    copy: LedgerCopy,
    state: State,
) -> tuple[State, str]:
    """Key after key; a decision is written before the next screen is drawn."""
    while True:
        state = _draw(writer, labelled, state)
        key = keyboard.read()
        if key in _ENDINGS:
            return state, _ENDINGS[key]
        if key == "suspend":
            writer.leave()
            keyboard.suspend()
        elif key != "redraw":
            state, decision = press(state, key, time.monotonic())
            if decision is not None:
                copy.write(labelled.add(decision))
            if state.end is not None:
                return state, state.end.value


def _draw(writer: ScreenWriter, labelled: LabelledSet, state: State) -> State:
    """The state after its screen was drawn."""
    result_id = state.current
    canonical = None
    if state.view is View.REVEAL:
        canonical = labelled.reference.get(result_id)
    item = labelled.item(result_id)
    screen = render(state, item, writer.size(), canonical=canonical)
    writer.draw(screen, (state.index, state.view, screen.offset))
    return scrolled(state, offset=screen.offset, page=screen.page)


# --- the end ---


def _summary(
    labelled: LabelledSet, state: State, ended: str, out: Path, query: WalkQuery
) -> Summary:
    seconds = [decision.seconds for decision in labelled.decisions.values()]
    return Summary(
        labeler=labelled.labeler,
        out=out,
        ledger=query.ledger,
        total=len(labelled.chosen),
        labelled=len(labelled.labels),
        now=len(labelled.decisions),
        skipped=len(state.skipped),
        ended=ended,
        classes=Counter(label.outcome for label in labelled.labels.values()),
        median_s=round(statistics.median(seconds), 1) if seconds else None,
        calibration=_calibration(labelled, query),
    )


def _calibration(labelled: LabelledSet, query: WalkQuery) -> ReviewerCalibration | None:
    """The labels compared with the reference, unless that is still hidden."""
    incomplete = len(labelled.labels) < len(labelled.chosen)
    if not labelled.reference or (query.blind and incomplete):
        return None
    labels = {
        result_id: (label.outcome, label.answers)
        for result_id, label in labelled.labels.items()
    }
    return calibrate(labels, labelled.reference)
