"""Contract sections `evidence` and `claims`: what citations and claims are checked against."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import Field, model_validator

from judgemesh.contracts.parts import Id, JsonObject
from judgemesh.contracts.sections.section import Section

Share = Annotated[float, Field(ge=0, le=1)]


class EvidenceThresholds(Section):
    """From where on a citation and what a source holds are the same.

    title: share of words that agree, in order; `title_other`: below it the two are different works. authors: share of
    the authors given that the record has too. year: years that the two may lie apart. Quotes have no threshold: they
    are compared word for word.
    """

    title: Share = 1.0
    title_other: Share = 0.6
    authors: Share = 1.0
    year: Annotated[int, Field(ge=0, le=10)] = 0

    @model_validator(mode="before")
    @classmethod
    def _without_quote(cls, data: object) -> object:
        if isinstance(data, dict) and "quote" in data:
            raise ValueError(
                "quotes are compared word for word and have no threshold; remove `quote`"
            )
        return cast("object", data)


EvidenceLevel = Literal["identifier", "exists", "match", "quote"]


EVIDENCE_LEVELS: tuple[EvidenceLevel, ...] = ("identifier", "exists", "match", "quote")


class EvidenceSpec(Section):
    """Which evidence the answer needs, and where citations are looked up.

    sources: each `{type: ...}` with its options; together they are the closed set in which citations must be found.
    levels: how far each citation is checked. `text: false` looks only at citations given as data.
    """

    required: bool = True
    sources: list[JsonObject] = Field(default_factory=list[JsonObject])
    min_citations: Annotated[int, Field(ge=0, le=10_000)] = 1
    levels: list[EvidenceLevel] = Field(
        default_factory=lambda: list(EVIDENCE_LEVELS), min_length=1
    )
    thresholds: EvidenceThresholds = Field(default_factory=EvidenceThresholds)
    text: bool = True

    @model_validator(mode="after")
    def _typed(self) -> EvidenceSpec:
        if not all(isinstance(source.get("type"), str) for source in self.sources):
            raise ValueError(
                "each source needs a `type`, for example {type: jsonl, path: catalogue.jsonl}"
            )
        return self


class Fact(Section):
    """One thing known to be so: the `value` of a `property` of a `subject`. `unit` belongs to a number."""

    subject: Id
    property: Id
    value: str | int | float | bool
    unit: str | None = None
    aliases: list[Id] = Field(default_factory=list[str])
    tolerance: Annotated[float, Field(ge=0)] | None = None


class EvidencePassage(Section):
    """A text that claims may rest on; `id` is how the answer cites it."""

    id: Id
    text: str


class ClaimsSpec(Section):
    """What claims are checked against: known facts, evidence texts, and what tools returned.

    What the agent wrote is never evidence. `evidence_outputs` names outputs that point to passages: an entry counts
    where an evidence text or a source holds it, and then that text counts. `tool_results` says whether the results of
    tools in the trace are evidence: `auto` takes them where the contract names neither passages nor sources.
    `extract`: how claims are read from the answer, in addition to those the agent lists: its sentences by rule, by a
    model, or not at all.
    """

    facts: list[Fact] = Field(default_factory=list[Fact])
    evidence: list[EvidencePassage] = Field(default_factory=list[EvidencePassage])
    evidence_outputs: list[Id] = Field(
        default_factory=lambda: ["evidence", "evidence_list", "documents", "sources"]
    )
    tool_results: Literal["auto", "always", "never"] = "auto"
    extract: Literal["sentences", "model", "none"] = "sentences"
    max_claims: Annotated[int, Field(ge=1, le=1_000)] = 100
