"""What a validator may ask the engine for, and the answers it is sent.

A generator validator yields needs by name and is sent the answers by the same names. A need that cannot be answered
comes back as `Unanswered`: the evaluator's fault, never the agent's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from judgemesh.contracts.money import Money
from judgemesh.contracts.opinions import Opinion, Vote
from judgemesh.contracts.quick_init import quick_init
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.verdicts import Abstain, Confidence, Error, inaccessible


class Material(NamedTuple):
    """One named piece of the result that a judge is shown (`final_answer`, `outputs`, `trace`)."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A yes/no question for a judge about the materials.

    `gating` says that a verdict on the hard gate hangs on it; `expected` is the answer that would pass. `agent_model`
    is the model that did the work, where it is known: a judge of the same family is warned about.
    """

    question_id: str
    question: str
    materials: tuple[Material, ...]
    gating: bool = False
    expected: Literal["yes", "no"] = "yes"
    agent_model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """Structured text out of a model: `instruction` over the materials, answered by JSON that fits `schema`."""

    extract_id: str
    instruction: str
    materials: tuple[Material, ...]
    schema: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """One item to look up in an evidence source.

    source: an entry of the contract's `evidence.sources` (`{type: jsonl, path: catalogue.jsonl}`).
    query: one identifier (`doi`, `arxiv`, `pmid`, `nct`, `isbn`, `url`, `id`, in normal form), or `title` with `author`
        and `year` where they are known; or a passage as `quote`; or a statement as `about`, for the text that is most
        likely about it.
    want_text: whether `Found.fields["text"]` must hold the text of the item, for quotes and claims.
    """

    source: Mapping[str, object]
    query: Mapping[str, str]
    want_text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """The execution records that an external system holds about this result."""

    source: Mapping[str, object]
    result_id: str
    task_id: str
    trace_id: str | None = None


Need = Ask | Extract | Lookup | Records


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A judge's answer to `Ask`. `cost` is what this answer cost now; `cost_avoided` what the cache saved.

    `details` are JSON-ready facts for the ledger: `injection_suspected`, `coverage`, `quote`, `replaced`, ...
    `opinion` records how the judge came to the answer; None where it was not asked, because what the question depends
    on did not fit into a prompt. Hand it on to the verdict that states this answer.
    """

    vote: Vote
    reason: str = ""
    opinion: Opinion | None = None
    details: Mapping[str, object] = field(default_factory=dict[str, object])
    confidence: Confidence = field(default_factory=Confidence)
    model: str | None = None
    cost: Money | None = None
    cost_avoided: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """JSON data in answer to `Extract`."""

    data: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The source holds the item; `fields` is what it says about it, `ref` where it stands.

    fields: `title`, `titles` (if it has more than one), `authors`, `years` (all that may be cited), `venue`, `ids`
        (scheme -> normal identifiers), `schemes` (kinds of identifier the source names in general), `preprint` and
        `web_page` (bool), `text` (if it was asked for and is to be had) and `excerpt` (bool: the text is only a part,
        such as an abstract). Absent means unknown.
    """

    ref: str
    fields: Mapping[str, object] = field(default_factory=dict[str, object])
    source: str = ""
    authoritative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound:
    """The source was reached and does not hold the item. `authoritative`: then no such item exists at all.

    covers: False when the source has nothing of that kind and so cannot tell (an ISBN asked of arXiv).
    kin: the source has items whose ids are built as the one that was asked for (`POL-7` for `POL-77`).
    """

    source: str
    authoritative: bool
    covers: bool = True
    kin: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsFound:
    """All records the source holds about the result; none is an answer too."""

    records: tuple[ExecutionRecord, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """The need could not be answered. `error_type` is a slug for machines, `message` one line for people."""

    error_type: str
    message: str
    inaccessible: bool = False


Answer = Judged | Extracted | Found | NotFound | RecordsFound | Unanswered


def unanswered_verdict(
    answer: Unanswered,
    *,
    check: str,
    metric: str | None,
    weight: float = 1.0,
    gating: bool | None = None,
) -> Abstain | Error:
    """The verdict about a need that was not answered: `Abstain` for a source out of reach, else `Error`."""
    if answer.inaccessible:
        return inaccessible(
            check, answer.message, metric=metric, weight=weight, gating=gating
        )
    return Error(
        check=check,
        reason=answer.error_type,
        diagnostic=answer.message,
        metric=metric,
        weight=weight,
        gating=gating,
    )
