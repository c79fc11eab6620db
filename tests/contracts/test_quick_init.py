"""Objects of classes with a quick `__init__` are those of the frozen dataclass."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any, Generic, TypeVar

import pytest

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.contracts.needs import Judged
from judgemesh.contracts.opinions import Opinion
from judgemesh.contracts.quick_init import quick_init
from judgemesh.contracts.report import Report, ValidatorVerdict
from judgemesh.contracts.usage import Usage
from judgemesh.contracts.verdicts import Abstain, Fail, Pass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Slow(Generic[T]):
    first: T
    second: int = 2
    third: list[int] = field(default_factory=list[int], compare=False)
    fourth: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if self.second < 0:
            raise ValueError("second is negative")


@quick_init
@dataclass(frozen=True, slots=True)
class Quick(Slow[T]):
    fifth: int = field(default=5, kw_only=True)


@dataclass(frozen=True, slots=True)
class Derived(Quick[T]):
    sixth: int = 6


class Bare(Quick[T]):
    pass


@pytest.fixture(autouse=True)
def _quick() -> None:
    """The first objects are made as `dataclass` makes them."""
    for _ in range(100):
        Quick(1)


def test_the_first_objects_are_as_the_later_ones() -> None:
    @quick_init
    @dataclass(frozen=True, slots=True)
    class New:
        one: int
        two: list[int] = field(default_factory=list[int])

    written = set[object]()
    for number in range(100):
        made = New(number)
        assert (type(made), made.one, made.two) == (New, number, [])
        with pytest.raises(FrozenInstanceError):
            made.one = 2  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
        written.add(New.__init__)
    assert len(written) == 2


def test_it_is_the_frozen_dataclass() -> None:
    made = Quick("a", 1, fourth="d")
    assert type(made) is Quick
    assert repr(made) == "Quick(first='a', second=1, third=[], fourth='d', fifth=5)"
    assert made == Quick("a", 1, [3], fourth="d")
    assert hash(made) == hash(Quick("a", 1, fourth="d"))
    assert replace(made, fifth=7).fifth == 7
    for same in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301 - its own
        assert same == made
    with pytest.raises(FrozenInstanceError):
        made.first = "b"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError):
        del made.first  # pyright: ignore[reportAttributeAccessIssue]


def test_defaults_are_fresh_and_checks_are_made() -> None:
    assert Quick(1).third is not Quick(1).third
    with pytest.raises(ValueError, match="second is negative"):
        Quick(1, -1)
    with pytest.raises(TypeError, match="first"):
        Quick()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def test_objects_of_derived_classes_are_theirs() -> None:
    assert type(Derived(1, sixth=3)) is Derived
    assert Derived(1, sixth=3).sixth == 3
    assert type(Bare(1, fifth=3)) is Bare
    assert (Bare(1, fifth=3).fifth, Bare(1).third) == (3, [])
    with pytest.raises(FrozenInstanceError):
        Bare(1).fifth = 2  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def test_every_field_must_be_a_parameter() -> None:
    @dataclass(frozen=True, slots=True)
    class Hidden:
        one: int = field(default=1, init=False)

    with pytest.raises(TypeError, match="parameter"):
        quick_init(Hidden)


@pytest.mark.parametrize(
    "kind",
    [
        *(Abstain, Fail, JudgeAttempt, Judged, ModelCall, ModelReply),
        *(Opinion, Pass, Report, Usage, ValidatorVerdict),
    ],
)
def test_signatures_are_those_of_the_dataclass(kind: type[Any]) -> None:
    parameters = inspect.signature(kind).parameters
    assert list(parameters) == [each.name for each in fields(kind)]
