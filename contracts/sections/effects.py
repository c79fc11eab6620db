"""Contract sections `execution` and `state`: what must have happened in the world, and what must not."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from judgemesh.contracts.parts import Id, JsonObject
from judgemesh.contracts.sections.section import (
    ConditionField,
    Matcher,
    MatcherField,
    Section,
    Weight,
    distinct,
)


class ExpectedExecution(Section):
    """An execution the task asks for, `count` times. `not_before` and `not_after` bound when it happens.

    With `status`, a record of it has to say that, and a record that says it counts, whatever the table of status words
    makes of it.
    """

    kind: Id
    target: MatcherField | None = None
    status: MatcherField | None = None
    parameters: dict[str, MatcherField] = Field(default_factory=dict[str, Matcher])
    count: Annotated[int, Field(ge=1, le=10_000)] = 1
    not_before: datetime | None = None
    not_after: datetime | None = None


class StatusWords(Section):
    """Words that the records of this contract use for a status, beside those of the table or against them."""

    done: list[Id] = Field(default_factory=list[str])
    open: list[Id] = Field(default_factory=list[str])
    failed: list[Id] = Field(default_factory=list[str])

    @model_validator(mode="after")
    def _one_class_each(self) -> StatusWords:
        distinct("status_words", [*self.done, *self.open, *self.failed])
        return self


class ExecutionSpec(Section):
    """What must have been executed, and where the proof of it is.

    `source` is `{type: result}` (records the harness put into the result) or names an execution-record source with its
    options, such as `{type: jsonl, path: tickets.jsonl}`. `high_risk` and `payments` are kinds of action that need the
    user's confirmation, which counts for the same kind, target and parameters only; `confirm_parameters` are those it
    has to name in any case. `exclusive: false` allows executions that were not asked for. With `window_s`, a record
    dated more than that many seconds before the run started or after it ended belongs to another run. `status_words`
    adds words for the status of a record: a word that is in no table is unknown and leaves the check undecided.
    """

    source: JsonObject = Field(default_factory=lambda: {"type": "result"})
    expected: list[ExpectedExecution] = Field(default_factory=list[ExpectedExecution])
    high_risk: list[Id] = Field(default_factory=list[str])
    payments: list[Id] = Field(default_factory=list[str])
    confirm_parameters: list[Id] = Field(default_factory=list[str])
    exclusive: bool = True
    status_words: StatusWords = Field(default_factory=StatusWords)
    window_s: Annotated[float, Field(ge=0, le=31_536_000)] | None = None

    @model_validator(mode="after")
    def _typed(self) -> ExecutionSpec:
        if not isinstance(self.source.get("type"), str):
            raise ValueError(  # noqa: TRY004
                "source needs a `type`, for example {type: jsonl, path: records.jsonl}"
            )
        return self


def _with_slash(path: str) -> str:
    if path.startswith("/"):
        return path
    return f"/{path}"


def _pointer(path: str) -> str:
    """An RFC 6902 pointer; the empty one is the whole document."""
    return path and _with_slash(path)


class ExpectedChange(Section):
    """A change that must have happened: `after` is compared exactly, `match` by a matcher, neither: any value."""

    path: Annotated[str, AfterValidator(_pointer)]
    op: Literal["add", "replace", "remove"] | None = None
    before: Any = None
    after: Any = None
    match: ConditionField | None = None
    weight: Weight = 1.0


class DocumentSpec(Section):
    """A document that must exist after the run and be usable. It must be part of a snapshot (`judgemesh snapshot`).

    path: RFC 6902 pointer of its entry, `*` for one segment: `/files/report.docx`.
    format: the format it must open as; by default the one of its file name.
    headings: headings it must have, in any case. contains: text it must have.
    tables: the least number of tables; columns: column names one table (or CSV header) must have.
    """

    path: Annotated[str, Field(min_length=2), AfterValidator(_with_slash)]
    format: Literal["markdown", "csv", "json", "html", "docx", "pdf", "text"] | None = (
        None
    )
    min_chars: Annotated[int, Field(ge=1)] = 1
    headings: list[str] = Field(default_factory=list[str])
    contains: list[str] = Field(default_factory=list[str])
    tables: Annotated[int, Field(ge=0)] = 0
    columns: list[str] = Field(default_factory=list[str])
    weight: Weight = 1.0
    gate: bool = True


class StateSpec(Section):
    """Expected changes, and what else may, may not, or need not be looked at.

    Paths are RFC 6902 pointers; `*` stands for one segment and `**` for any number. A change that is neither
    expected, allowed nor ignored is a side effect.
    """

    expected: list[ExpectedChange] = Field(default_factory=list[ExpectedChange])
    allowed: list[str] = Field(default_factory=list[str])
    ignored: list[str] = Field(default_factory=list[str])
    forbidden: list[str] = Field(default_factory=list[str])
    documents: list[DocumentSpec] = Field(default_factory=list[DocumentSpec])
