"""The trace of one run as the rules of a procedure see it: occurrences, order and distance of steps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.sections.procedure import Activity, Rule, Within
from judgemesh.validators._shared.trace.transcript import step_ref
from judgemesh.validators.sop.activities import (
    Occurrence,
    is_unread,
    occurrences,
    occurs,
)

_TIME_KEYS: Final = (
    "at",
    "timestamp",
    "time",
    "started_at",
    "start_time",
    "created_at",
)


class NoTime(ValueError):
    """A rule asks how much time lies between two steps, and one of them has none. `ref` is the step."""

    def __init__(self, ref: str) -> None:
        super().__init__(ref)
        self.ref = ref


class Steps:
    """The trace of one run. The occurrences of an activity are searched for once.

    `assumed` are the positions of steps that count although an argument cannot be read.
    """

    def __init__(
        self, steps: Sequence[TraceStep], assumed: Collection[int] = ()
    ) -> None:
        self.steps = steps
        self._assumed = assumed
        self._occurrences: dict[int, list[Occurrence]] = {}
        self._ranks: dict[str, Ranks] = {}
        self._times: dict[int, datetime | None] = {}

    @cached_property
    def refs(self) -> list[str]:
        """The reference of each step: its own id, or its number from 1."""
        return [step_ref(step, index) for index, step in enumerate(self.steps)]

    def of(self, activity: Activity | None) -> list[Occurrence]:
        """Where the activity occurs."""
        if activity is None:
            return []
        cached = self._occurrences.get(id(activity))
        if cached is None:
            cached = occurrences(activity, self.steps, self.refs, self._assumed)
            self._occurrences[id(activity)] = cached
        return cached

    def doubtful(self, rule: Rule) -> list[int]:
        """The positions of steps of which nobody can tell whether they are occurrences of the rule's activities."""
        activities = [rule.activity, rule.first, rule.then]
        doubtful: list[int] = []
        for position, step in enumerate(self.steps):
            if any(occurs(each, step) is None for each in activities if each):
                doubtful.append(position)
        return doubtful

    def unbound(self, rule: Rule) -> list[str]:
        """The references of occurrences whose arguments in `same` cannot be read."""
        found = [*self.of(rule.first), *self.of(rule.then)] if rule.same else []
        return [each.ref for each in found if is_unread(each.step, rule.same)]

    def ranks(self, rule: Rule) -> Ranks:
        """The order of the steps that count for the rule."""
        kind = rule.among or _kind_of(rule)
        cached = self._ranks.get(kind)
        if cached is None:
            counts = _KINDS[kind]
            order: list[int] = []
            for index, step in enumerate(self.steps):
                if counts(step):
                    order.append(index)
            cached = self._ranks[kind] = Ranks(order, self)
        return cached

    def seconds(self, left: Occurrence, right: Occurrence) -> float:
        """The time between two steps, in seconds and without sign.

        Raises:
            NoTime: one of them has no readable time.
        """
        return abs((self._time(left) - self._time(right)).total_seconds())

    def _time(self, occurrence: Occurrence) -> datetime:
        if occurrence.position not in self._times:
            self._times[occurrence.position] = time_of(occurrence.step)
        time = self._times[occurrence.position]
        if time is None:
            raise NoTime(occurrence.ref)
        return time


class Ranks:
    """How far apart two steps lie, counted in the steps that count for a rule: `order` are their positions."""

    def __init__(self, order: list[int], steps: Steps) -> None:
        self._steps = steps
        self.order = order
        self._rank = {position: rank for rank, position in enumerate(order)}

    def next_to(self, earlier: Occurrence, later: Occurrence) -> bool:
        """Whether `later` comes right after `earlier`. A step that does not count has no neighbours."""
        rank = self._rank.get(earlier.position)
        following = self._rank.get(later.position)
        return rank is not None and following is not None and following == rank + 1

    def near(self, left: Occurrence, right: Occurrence, within: Within | None) -> bool:
        """Whether the two lie within that distance.

        Raises:
            NoTime: the distance is in seconds, and a step has no time.
        """
        if within is None:
            return True
        if within.steps is not None:
            left_rank = self._rank.get(left.position)
            right_rank = self._rank.get(right.position)
            if left_rank is None or right_rank is None:
                return False
            if abs(left_rank - right_rank) > within.steps:
                return False
        if within.seconds is None:
            return True
        return self._steps.seconds(left, right) <= within.seconds


def time_of(step: TraceStep) -> datetime | None:
    """When the step happened: an ISO 8601 text, or a number of seconds since 1970. A time without zone is UTC."""
    extra = step.model_extra or {}
    for key in _TIME_KEYS:
        try:
            time = _as_time(extra.get(key))
        except (ValueError, OverflowError, OSError):
            continue
        if time is not None:
            return time
    return None


def _as_time(value: object) -> datetime | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value, UTC)
    if not isinstance(value, str):
        return None
    time = datetime.fromisoformat(value.strip())
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _kind_of(rule: Rule) -> str:
    """The kind of steps that count where the rule does not say: the kind that all its activities are about."""
    activities = list(filter(None, (rule.activity, rule.first, rule.then)))
    if all(activity.tool is not None for activity in activities):
        return "tools"
    if all(activity.state is not None for activity in activities):
        return "states"
    if all(activity.tool is None and activity.state is None for activity in activities):
        return "utterances"
    return "steps"


def _is_utterance(step: TraceStep) -> bool:
    return step.tool_name is None and bool(step.role or step.content)


_KINDS: Final[Mapping[str, Callable[[TraceStep], bool]]] = MappingProxyType(
    {
        "steps": lambda _step: True,
        "tools": lambda step: step.tool_name is not None,
        "states": lambda step: step.state_type is not None,
        "utterances": _is_utterance,
    }
)
