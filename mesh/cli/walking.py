"""What `judgemesh label walk` does: a person, one key a step, through the decision tree of the outcome classes."""

from __future__ import annotations

import asyncio
import getpass
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TextIO, cast

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.mesh.cli.errors import EXIT_INTERRUPTED, EXIT_OK
from judgemesh.mesh.cli.keyboard import Keyboard
from judgemesh.mesh.cli.stage import Stage
from judgemesh.mesh.labelling.choose import Choice, Chosen, choose, read_reference
from judgemesh.mesh.labelling.item import Item, item_of
from judgemesh.mesh.labelling.log import Label, LabelLog, last_words
from judgemesh.mesh.labelling.reference import Canonical, calibrate
from judgemesh.mesh.labelling.screen import render
from judgemesh.mesh.labelling.session import (
    Decision,
    End,
    State,
    View,
    press,
    scrolled,
    start,
)
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from judgemesh.mesh.inputs.contracts import ContractSet
    from judgemesh.mesh.labelling.summary import Summary
    from judgemesh.mesh.ledger.labels import HumanLabel
    from judgemesh.mesh.ledger.store import Ledger

_MOST_PROBLEMS: Final = 10
_LONGEST_NAME: Final = 200
_REFERENCE: Final = "reference"
_ENDINGS: Final = {"interrupt": "interrupted", "eof": "end of input"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Walking:
    """What to label, by whom, and where the labels go."""

    results: tuple[Path, ...]
    contracts: tuple[Path, ...] = ()
    out: Path | None = None
    labeler: str | None = None
    reference: Path | None = None
    blind: bool = False
    choice: Choice = field(default_factory=Choice)
    again: bool = False
    ledger: str | None = None
    as_json: bool = False


def walk(walking: Walking) -> int:
    """Label until all is labelled, the person leaves, or the keys end. Gives back the exit code.

    Raises:
        InputError: a file, a flag or a label file that cannot be used.
        LedgerError: the ledger cannot be read or written.
    """
    labeler = _labeler(walking.labeler)
    if walking.blind and walking.reference is None:
        raise ConfigError(
            "there is nothing to hide",
            where="--blind",
            hint="it goes together with --reference",
        )
    contracts = _contracts(walking.contracts)
    reference = read_reference(walking.reference) if walking.reference else None
    out = walking.out or Path(f"labels-{_file_name(labeler)}.jsonl")
    _distinct(out, walking)
    problems = _Problems()
    chosen = choose(walking.results, walking.choice, reference, problems)
    problems.close()
    _warn_of_contracts(chosen, contracts)
    log = LabelLog.open(out)
    try:
        drawn = "at_random" if walking.choice.shuffle else "chosen"
        desk = _Desk(chosen, contracts, reference or {}, labeler, log, drawn=drawn)
        with _Keeper.open(walking.ledger, desk) as keeper:
            state, ended = _session(desk, keeper, walking)
    finally:
        log.close()
    _show(_summary(desk, state, ended, out, walking), as_json=walking.as_json)
    return EXIT_INTERRUPTED if ended == "interrupted" else EXIT_OK


# --- what is asked for ---


def _labeler(given: str | None) -> str:
    if given is None:
        try:
            given = getpass.getuser()
        except (KeyError, OSError):
            raise ConfigError(
                "this user has no name here", hint="say who labels with --labeler NAME"
            ) from None
    name = given.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise ConfigError(
            "a name is printable and not empty",
            where="--labeler",
            hint=f"got {given[:80]!r}",
        )
    if name.casefold() == _REFERENCE:
        raise ConfigError(
            "`reference` is what canonical labels are called",
            where="--labeler",
            hint="another name",
        )
    return name


def _file_name(labeler: str) -> str:
    return "".join(one if one.isalnum() or one in "-_." else "_" for one in labeler)


def _contracts(paths: tuple[Path, ...]) -> ContractSet | None:
    from judgemesh.mesh.grading.contracts import load_contracts

    return load_contracts(paths) if paths else None


def _distinct(out: Path, walking: Walking) -> None:
    """The labels may not be written into what they are made from."""
    read = [*walking.results, *([walking.reference] if walking.reference else [])]
    if out.exists() and any(path.exists() and out.samefile(path) for path in read):
        raise ConfigError(
            "is read by this command and cannot take its labels",
            where=str(out),
            hint="give --out FILE",
        )


def _warn_of_contracts(chosen: Sequence[Chosen], contracts: ContractSet | None) -> None:
    from judgemesh.mesh.cli.output import say

    if contracts is None:
        return
    without = {
        name for one in chosen if contracts.find(name := _contract_name(one)) is None
    }
    if without:
        first = one_line(min(without), 80)
        say(
            f"warning: {plural(len(without), 'task')} without a contract, so without sub-goals; the first is {first}"
        )


def _contract_name(one: Chosen) -> str:
    return one.result.contract or one.result.task_id


@dataclass(slots=True)
class _Problems:
    """Tells of lines that cannot be used."""

    count: int = 0

    def __call__(self, problem: str) -> None:
        from judgemesh.mesh.cli.output import say

        self.count += 1
        if self.count <= _MOST_PROBLEMS:
            say(f"rejected: {one_line(problem, 500)}")

    def close(self) -> None:
        from judgemesh.mesh.cli.output import say

        if self.count > _MOST_PROBLEMS:
            say(f"and {plural(self.count - _MOST_PROBLEMS, 'more rejected line')}")


# --- the set, and what was said about it ---


class _Desk:
    """The results of the set, their canonical labels, and what this person said about them so far."""

    def __init__(
        self,
        chosen: Sequence[Chosen],
        contracts: ContractSet | None,
        reference: Mapping[str, Canonical],
        labeler: str,
        log: LabelLog,
        *,
        drawn: str,
    ) -> None:
        self.chosen = {one.result.result_id: one for one in chosen}
        self.reference = reference
        self.labeler = labeler
        self.log = log
        said = last_words(log.labels, labeler)
        self.said = {name: label for name, label in said.items() if name in self.chosen}
        self.now: dict[str, Decision] = {}
        self._contracts = contracts
        self._drawn = drawn
        self._shown: tuple[str, Item] | None = None

    def queue(self, *, again: bool) -> tuple[str, ...]:
        """What is to be labelled; `again` puts those that have a label behind, the oldest first."""
        fresh = [name for name in self.chosen if name not in self.said]
        return (*fresh, *(self.said if again else ()))

    def item(self, result_id: str) -> Item:
        """A result as it is shown; a trace that stands in a file of its own is read now."""
        if self._shown is None or self._shown[0] != result_id:
            self._shown = (result_id, self._item(self.chosen[result_id]))
        return self._shown[1]

    def _item(self, one: Chosen) -> Item:
        from judgemesh.mesh.grading.case import read_trace
        from judgemesh.mesh.state.evidence import changes_of

        result, changes, problems = one.result, None, list[str]()
        if (
            result.trace is not None
            and result.trace.ref is not None
            and not result.trace.steps
        ):
            try:
                result = result.model_copy(
                    update={"trace": read_trace(one.base_dir, result.trace.ref)}
                )
            except InputError as error:
                problems.append(f"trace: {error}")
        try:
            changes = changes_of(result, one.base_dir)
        except InputError as error:
            problems.append(f"state: {error}")
        loaded = self._contracts.find(_contract_name(one)) if self._contracts else None
        contract = loaded.contract if loaded else None
        return item_of(result, contract, changes=changes, problem="; ".join(problems))

    def keep(self, decision: Decision) -> Label:
        """A decision as a line of the file, on the disk."""
        label = Label(
            result_id=decision.result_id,
            task_id=self.chosen[decision.result_id].result.task_id,
            outcome=decision.outcome,
            labeler=self.labeler,
            answers=decision.answers,
            note=decision.note,
            drawn=self._drawn,
            labelled_at=datetime.now(UTC),
            seconds=decision.seconds,
        )
        self.log.append(label)
        self.said[label.result_id] = label
        self.now[label.result_id] = decision
        return label


class _Keeper:
    """Puts labels into a ledger as well, if there is one."""

    def __init__(
        self, runner: asyncio.Runner | None = None, ledger: Ledger | None = None
    ) -> None:
        self._runner = runner
        self._ledger = ledger

    @classmethod
    def open(cls, url: str | None, desk: _Desk) -> Self:
        """Open the ledger, which has to know every result, and hand it the labels that only the file has.

        Raises:
            ConfigError: a result is not graded there.
            LedgerError: there is no such ledger, or it cannot be written.
        """
        if url is None:
            return cls()
        runner = asyncio.Runner()
        try:
            return cls(runner, runner.run(_opened(url, desk)))
        except BaseException:
            runner.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._runner is not None and self._ledger is not None:
            self._runner.run(self._ledger.aclose())
            self._runner.close()

    def keep(self, label: Label) -> None:
        """One label more."""
        if self._runner is not None and self._ledger is not None:
            self._runner.run(self._ledger.write_labels([_human_label(label)]))


async def _opened(url: str, desk: _Desk) -> Ledger:
    from judgemesh.mesh.ledger.store import Ledger

    async with await Ledger.open(url, read_only=True) as there:
        graded: set[str] = set()
        for run in await there.runs():
            graded |= (await there.graded_among(run.run_id, list(desk.chosen))).keys()
        known = {
            label.result_id: label.created_at
            for label in await there.labels()
            if label.outcome_class and label.labeler == desk.labeler
        }
    missing = [name for name in desk.chosen if name not in graded]
    if missing:
        said = f"{plural(len(missing), 'result')} not graded there; the first is {missing[0]!r}"
        raise ConfigError(
            said,
            where=one_line(url),
            hint="`judgemesh grade` them first, or leave --ledger out",
        )
    ledger = await Ledger.open(url)
    late = [
        one
        for one in desk.said.values()
        if (at := known.get(one.result_id)) is None or at < one.labelled_at
    ]
    try:
        await ledger.write_labels([_human_label(one) for one in late])
    except BaseException:
        await ledger.aclose()
        raise
    return ledger


def _human_label(label: Label) -> HumanLabel:
    from judgemesh.mesh.ledger.labels import HumanLabel

    return HumanLabel(
        result_id=label.result_id,
        created_at=label.labelled_at,
        task_id=label.task_id,
        labeler=label.labeler,
        outcome_class=label.outcome.value,
        note=label.note or None,
        drawn=label.drawn or None,
    )


# --- the session ---


def _stream(*, as_json: bool) -> TextIO:
    """Where screens go: stdout belongs to the JSON object alone."""
    if as_json:
        return sys.stderr
    reconfigure: Any = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(
            errors="replace"
        )  # the summary too is for people, whatever their terminal can show
    return sys.stdout


def _session(desk: _Desk, keeper: _Keeper, walking: Walking) -> tuple[State, str]:
    """Ask until the end; gives back the last state and why it is the last."""
    queue = desk.queue(again=walking.again)
    stream = _stream(as_json=walking.as_json)
    paces = tuple(one.seconds for one in desk.said.values() if one.seconds is not None)
    state = start(
        queue,
        now_s=time.monotonic(),
        before=len(desk.chosen) - len(queue),
        revealed=frozenset() if walking.blind else frozenset(desk.reference),
        paces=paces,
    )
    if state.end is not None:
        return state, End.DONE.value
    keys = cast("TextIO | None", sys.stdin)  # None when whoever started this closed it
    if keys is None:
        raise ConfigError(
            "there is nothing to read keys from: standard input is closed"
        )
    stage = Stage(stream)
    with Keyboard(keys) as keyboard:
        try:
            return _asked(stage, keyboard, desk, keeper, state)
        except BrokenPipeError:
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), stream.fileno()
            )  # nobody looks any more
            return state, "end of input"
        finally:
            stage.leave()


def _asked(
    stage: Stage, keyboard: Keyboard, desk: _Desk, keeper: _Keeper, state: State
) -> tuple[State, str]:
    """Key after key; a decision is kept before the next screen is drawn."""
    while True:
        state = _draw(stage, desk, state)
        key = keyboard.read()
        if key in _ENDINGS:
            return state, _ENDINGS[key]
        if key == "suspend":
            stage.leave()
            keyboard.suspend()
        elif key != "redraw":
            state, decision = press(state, key, time.monotonic())
            if decision is not None:
                keeper.keep(desk.keep(decision))
            if state.end is not None:
                return state, state.end.value


def _draw(stage: Stage, desk: _Desk, state: State) -> State:
    """The state after its screen was drawn."""
    result_id = state.current
    canonical = desk.reference.get(result_id) if state.view is View.REVEAL else None
    screen = render(state, desk.item(result_id), stage.size(), canonical=canonical)
    stage.draw(screen, (state.index, state.view, screen.offset))
    return scrolled(state, offset=screen.offset, page=screen.page)


# --- the end ---


def _summary(
    desk: _Desk, state: State, ended: str, out: Path, walking: Walking
) -> Summary:
    from judgemesh.mesh.labelling.summary import Summary

    hidden = walking.blind and len(desk.said) < len(desk.chosen)
    given = {name: (label.outcome, label.answers) for name, label in desk.said.items()}
    seconds = [one.seconds for one in desk.now.values()]
    return Summary(
        labeler=desk.labeler,
        out=out,
        ledger=walking.ledger,
        total=len(desk.chosen),
        labelled=len(desk.said),
        now=len(desk.now),
        skipped=len(state.skipped),
        ended=ended,
        classes=Counter(label.outcome for label in desk.said.values()),
        median_s=round(statistics.median(seconds), 1) if seconds else None,
        calibration=calibrate(given, desk.reference)
        if desk.reference and not hidden
        else None,
    )


def _show(summary: Summary, *, as_json: bool) -> None:
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.labelling.summary import summary_json, summary_view

    if as_json:
        show_json(summary_json(summary))
    else:
        show(*summary_view(summary))
