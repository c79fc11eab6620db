"""What a judge answers to a yes/no question, and the record of how it came to the answer.

An `Opinion` is one judge's. Where several judges were asked one question, the opinion behind the answer holds the
others: the members of a panel, the judge that was asked first, and so on (see `Role`). A report and the ledger keep
them as rows, which `opinion_rows` and `opinion_from_rows` convert.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter
from typing import Any, Final, Literal

from judgemesh.contracts.quick_init import quick_init

VOTES: Final = "votes"
PANEL: Final = "panel"
"""Backends: a judge that is asked for votes only, and a panel."""


class Vote(StrEnum):
    """An answer to a yes/no question."""

    YES = "yes"
    NO = "no"
    CANNOT_ASSESS = "cannot_assess"


class Role(StrEnum):
    """Why a judge was asked.

    FINAL: its opinion is the answer. MEMBER: one judge of a panel. PROBABILITY: the model's own P(yes), which did not
    settle the question. FIRST: the judge whose opinion was escalated. SECOND: the second judge of an audited question,
    which the first one had settled.
    """

    FINAL = "final"
    MEMBER = "member"
    PROBABILITY = "probability"
    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSum:
    """How the members of a panel were added up.

    n_eff: how many independent votes they are worth, `assumed` or from `labels`. labels: how many labels the weights
    were fitted on; None where they were not.
    """

    method: str
    n_eff: float
    n_eff_source: Literal["assumed", "labels"]
    labels: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The identity by which the calibration of a panel or a pair knows one of its judges."""

    model: str
    prompts: str
    backend: str = VOTES


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchAudit:
    """The same question asked in a call with others and alone.

    call: identifies the call. position, size: where the question stood in it, from 0, and among how many.
    """

    call: str
    position: int
    size: int
    together: Vote
    alone: Vote


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What one judge made of one question, before any calibration unless said otherwise.

    question: the text, cut to 1,000 characters; empty in all but the final opinion. criterion: its digest.
    prompts: the digest over all wordings the judge is asked with. served: the models that really answered, sorted.
    leader: the answer its votes lean to. verdict: the same, or `cannot_assess` where the judge's own rules leave it
        open. Both are None where there is no opinion: the judge broke (`error_type`), or could not be shown enough.
    p_yes: the model's own probability of "yes". contradicted: the negated question was answered against the leader.
    quote_found: whether the leader's quote stands in the text; None without a quote.
    stability, correctness: the two confidences of the judge's answer; correctness comes from a calibration.
    injection_suspected: the judged text speaks to the evaluator. same_family: the judge's model, or that of a member,
        is of the agent's own family.
    chance: P(yes) as a panel counts it, of a member and of the panel; None where it took no side.
    audit_share: the share of questions drawn to be asked of both judges; None where this one was not drawn.
    others: the opinions of the other judges asked the question.
    """

    question_id: str
    question: str
    criterion: str
    gating: bool
    model: str
    prompts: str
    backend: str = VOTES
    role: Role = Role.FINAL
    served: tuple[str, ...] = ()
    leader: Vote | None = None
    verdict: Vote | None = None
    error_type: str | None = None
    votes_yes: int = 0
    votes_no: int = 0
    votes_unsure: int = 0
    votes_broken: int = 0
    p_yes: float | None = None
    contradicted: bool = False
    quote_found: bool | None = None
    stability: float | None = None
    correctness: float | None = None
    reason: str = ""
    injection_suspected: bool = False
    same_family: bool = False
    chance: float | None = None
    audit_share: float | None = None
    panel: PanelSum | None = None
    part: Part | None = None
    batch: BatchAudit | None = None
    others: tuple[Opinion, ...] = ()

    def with_role(self, role: Role) -> Iterator[Opinion]:
        """The others that have this role."""
        return (other for other in self.others if other.role is role)

    def all(self) -> Iterator[Opinion]:
        """This opinion, then all others, each followed by the others it holds itself."""
        yield self
        for other in self.others:
            yield from other.all()


OpinionRow = dict[str, Any]
"""One opinion as plain data: `position`, `parent` (the position of the opinion that holds it), then its facts."""

_RECORDS: Final[Mapping[str, type]] = {
    "panel": PanelSum,
    "part": Part,
    "batch": BatchAudit,
}
_AUDITED_VOTES: Final = frozenset({"together", "alone"})
_NESTED: Final = frozenset({*_RECORDS, "others"})
_PLAIN: Final = tuple(
    field.name for field in fields(Opinion) if field.name not in _NESTED
)

_PLAIN_VALUES: Final = attrgetter(*_PLAIN)
_RECORD_COLUMNS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    record: tuple((field.name, f"{record}_{field.name}") for field in fields(kind))
    for record, kind in _RECORDS.items()
}
_RECORDS_OF: Final = attrgetter(*_RECORDS)
_NONE_OF_THEM: Final = (None,) * len(_RECORDS)
_NO_FACTS: Final[Mapping[str, None]] = dict.fromkeys(
    (
        "position",
        "parent",
        *_PLAIN,
        *(column for names in _RECORD_COLUMNS.values() for _, column in names),
    )
)


def opinion_rows(opinion: Opinion | None) -> list[OpinionRow]:
    """The opinion and all others it holds as flat rows, each after the one that holds it; none for None."""
    rows: list[OpinionRow] = []
    if opinion is not None:
        _add_row(rows, opinion, parent=None)
    return rows


def _add_row(rows: list[OpinionRow], opinion: Opinion, *, parent: int | None) -> None:
    position = len(rows)
    # To fill a copy takes less than to let a dict of so many keys grow.
    row: OpinionRow = {**_NO_FACTS}
    row["position"] = position
    row["parent"] = parent
    row.update(zip(_PLAIN, _PLAIN_VALUES(opinion), strict=True))
    row["role"] = str(opinion.role)
    row["leader"] = None if opinion.leader is None else str(opinion.leader)
    row["verdict"] = None if opinion.verdict is None else str(opinion.verdict)
    row["served"] = list(opinion.served)
    if _RECORDS_OF(opinion) != _NONE_OF_THEM:
        row.update(_record_facts(opinion))
    rows.append(row)
    for other in opinion.others:
        _add_row(rows, other, parent=position)


def _record_facts(opinion: Opinion) -> Iterator[tuple[str, object]]:
    """The columns of the nested records that an opinion has."""
    for record, names in _RECORD_COLUMNS.items():
        value = getattr(opinion, record)
        for name, column in names if value is not None else ():
            fact = getattr(value, name)
            yield column, fact.value if isinstance(fact, Vote) else fact


def opinion_from_rows(rows: Sequence[Mapping[str, Any]]) -> Opinion | None:
    """The opinion whose rows these are, in order of position; None for no rows.

    Raises:
        KeyError: a fact is missing.
        ValueError: a value that this version does not know.
    """
    held: dict[int, list[Opinion]] = {}
    opinion: Opinion | None = None
    for row in reversed(rows):
        others = reversed(held.get(row["position"], []))
        opinion = _opinion(row, tuple(others))
        if row["parent"] is not None:
            held.setdefault(row["parent"], []).append(opinion)
    return opinion


def _opinion(row: Mapping[str, Any], others: tuple[Opinion, ...]) -> Opinion:
    facts = {name: row[name] for name in _PLAIN}
    facts["role"] = Role(facts["role"])
    facts["served"] = tuple(facts["served"])
    for record, kind in _RECORDS.items():
        facts[record] = _record(row, record, kind)
    for name in ("leader", "verdict"):
        if facts[name] is not None:
            facts[name] = Vote(facts[name])
    return Opinion(**facts, others=others)


def _record(row: Mapping[str, Any], record: str, kind: type) -> object:
    """The nested record of a row; None where all its facts are null."""
    facts = {field.name: row[f"{record}_{field.name}"] for field in fields(kind)}
    if all(value is None for value in facts.values()):
        return None
    for name in facts.keys() & _AUDITED_VOTES:
        facts[name] = Vote(facts[name])
    return kind(**facts)
