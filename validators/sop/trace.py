"""The trace of one run as the rules of a procedure see it: occurrences, order and distance of steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Final

from judgemesh.contracts.procedure import Activity, Rule, Within
from judgemesh.contracts.results import TraceStep
from judgemesh.validators._shared.transcript import step_ref
from judgemesh.validators.sop.activities import Occurrence, occurrences

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
    """The trace of one run; the occurrences of an activity are looked for once."""

    def __init__(self, steps: Sequence[TraceStep]) -> None:
        self.steps = steps
        self._found: dict[int, list[Occurrence]] = {}
        self._ranks: dict[str, Ranks] = {}
        self._times: dict[int, datetime | None] = {}

    @cached_property
    def refs(self) -> list[str]:
        """What people are shown for each step."""
        return [step_ref(step, index) for index, step in enumerate(self.steps)]

    def of(self, activity: Activity | None) -> list[Occurrence]:
        """Where the activity occurs."""
        if activity is None:
            return []
        found = self._found.get(id(activity))
        if found is None:
            found = self._found[id(activity)] = occurrences(
                activity, self.steps, self.refs
            )
        return found

    def ranks(self, rule: Rule) -> Ranks:
        """The order of the steps that the rule looks at."""
        kind = rule.among or _kind_of(rule)
        found = self._ranks.get(kind)
        if found is None:
            test = _KINDS[kind]
            order = [index for index, step in enumerate(self.steps) if test(step)]
            found = self._ranks[kind] = Ranks(order, self)
        return found

    def seconds(self, one: Occurrence, two: Occurrence) -> float:
        """The time between two steps, in seconds and without sign.

        Raises:
            NoTime: one of them has no readable time.
        """
        return abs((self._time(one) - self._time(two)).total_seconds())

    def _time(self, one: Occurrence) -> datetime:
        if one.position not in self._times:
            self._times[one.position] = time_of(one.step)
        found = self._times[one.position]
        if found is None:
            raise NoTime(one.ref)
        return found


class Ranks:
    """How far apart two steps lie, counted in the steps that a rule looks at: `order` are their positions."""

    def __init__(self, order: list[int], steps: Steps) -> None:
        self._steps = steps
        self.order = order
        self._rank = {position: rank for rank, position in enumerate(order)}

    def next_to(self, one: Occurrence, other: Occurrence) -> bool:
        """Whether `other` comes right after `one`. A step that the rule does not look at has no neighbours."""
        rank, following = self._rank.get(one.position), self._rank.get(other.position)
        return rank is not None and following is not None and following == rank + 1

    def near(self, one: Occurrence, other: Occurrence, within: Within | None) -> bool:
        """Whether the two lie within that distance.

        Raises:
            NoTime: seconds are asked for, and a step has no time.
        """
        if within is None:
            return True
        if within.steps is not None:
            first, second = self._rank.get(one.position), self._rank.get(other.position)
            if first is None or second is None or abs(first - second) > within.steps:
                return False
        return (
            within.seconds is None or self._steps.seconds(one, other) <= within.seconds
        )


def time_of(step: TraceStep) -> datetime | None:
    """When the step happened: an ISO 8601 text, or a number of seconds since 1970. A time without zone is UTC."""
    extra = step.model_extra or {}
    for key in _TIME_KEYS:
        value: object = extra.get(key)
        try:
            if isinstance(value, int | float) and not isinstance(value, bool):
                return datetime.fromtimestamp(value, UTC)
            if isinstance(value, str):
                found = datetime.fromisoformat(value.strip())
                return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        except (ValueError, OverflowError, OSError):
            continue
    return None


def _kind_of(rule: Rule) -> str:
    activities = [
        activity
        for activity in (rule.activity, rule.first, rule.then)
        if activity is not None
    ]
    if all(activity.tool is not None for activity in activities):
        return "tools"
    if all(activity.state is not None for activity in activities):
        return "states"
    if all(activity.tool is None and activity.state is None for activity in activities):
        return "utterances"
    return "steps"


_KINDS: Final[Mapping[str, Callable[[TraceStep], bool]]] = {
    "steps": lambda _step: True,
    "tools": lambda step: step.tool_name is not None,
    "states": lambda step: step.state_type is not None,
    "utterances": lambda step: (
        step.tool_name is None and bool(step.role or step.content)
    ),
}
