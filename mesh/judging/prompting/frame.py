"""From a need to the messages of a call: sanitise, fit into the budget, choose the boundary, render. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from judgemesh.contracts.needs import Material
from judgemesh.mesh.judging.prompting.coverage import Coverage, concerns
from judgemesh.mesh.judging.prompting.fit import pack_for
from judgemesh.mesh.judging.prompting.injection import Kind
from judgemesh.mesh.judging.prompting.sanitise import (
    Family,
    Sanitised,
    boundary_for,
    sanitise,
)
from judgemesh.mesh.pricing.tokens import estimate
from judgemesh.prompts.loader import Prompt

SEARCHED: Final = 4_000_000
"""Characters of one material that are looked at. What a question about a longer one hangs on may stand beyond."""
_ROUND: Final = str.maketrans("[]", "()")
_OWN: Final = frozenset(
    {"instruction"}
)  # written by whoever wrote the contract, not by the agent
_RUN: Final = frozenset({"trace", "transcript"})
_FRAME_TOKENS: Final = 60  # of the markers around one material, and of the gaps' notes
_COVERAGE_TOKENS: Final = 120
_LEAST_ROOM: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Framed:
    """The messages of one call, and what happened to the materials on the way.

    replaced: how many places were made harmless, in all; `families` by kind.
    materials: what the judge is shown, sanitised and cut to the budget.
    coverage: what part of the materials that is.
    suspected: the judged text speaks to the evaluator, by the kinds found.
    tokens: an estimate of the whole prompt, rather too high.
    """

    messages: tuple[dict[str, str], ...]
    digest: str
    replaced: int
    families: Mapping[Family, int] = field(default_factory=dict[Family, int])
    materials: tuple[Material, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)
    suspected: tuple[Kind, ...] = ()

    @property
    def tokens(self) -> int:
        """What the messages are estimated at."""
        return sum(estimate(message["content"]) for message in self.messages)

    @property
    def evidence(self) -> str:
        """Everything shown as one text: what a judge may quote."""
        return "\n".join(part.text for part in self.materials)


def frame(
    prompt: Prompt,
    materials: Sequence[Material],
    *,
    criterion: str,
    schema: Mapping[str, object] | None = None,
    seed: int = 0,
    budget: int | None = None,
) -> Framed:
    """Put materials and criterion into the prompt. Same input, same bytes.

    Criterion and names are sanitised too: a validator may have put the agent's own words into them.

    Args:
        prompt: the wording.
        materials: what is judged, whole.
        criterion: the question or the task.
        schema: of an extraction; quoted as it is, because it comes from a validator's code.
        seed: of the boundary.
        budget: tokens that the prompt may be estimated at; None for no limit.
    """
    return _framed(
        prompt,
        materials,
        (criterion,),
        asked=_as_it_is,
        schema=schema,
        seed=seed,
        budget=budget,
    )[0]


def frame_together(
    prompt: Prompt,
    materials: Sequence[Material],
    *,
    questions: Sequence[str],
    seed: int = 0,
    budget: int | None = None,
) -> tuple[Framed, ...]:
    """Put materials and several questions into one prompt, each on a line of its own, under the codes q1, q2, ...

    One value for each question, in their order: the messages are the same, the coverage is each question's own.
    """
    return _framed(
        prompt,
        materials,
        tuple(questions),
        asked=_numbered,
        schema=None,
        seed=seed,
        budget=budget,
    )


def _as_it_is(questions: Sequence[str]) -> str:
    return questions[0]


def _numbered(questions: Sequence[str]) -> str:
    """One line a question, whatever stands in it: no question may put another one's code at the start of a line."""
    return "\n".join(
        f"Question q{number}: {' '.join(text.split())}"
        for number, text in enumerate(questions, start=1)
    )


def _framed(
    prompt: Prompt,
    materials: Sequence[Material],
    questions: tuple[str, ...],
    *,
    asked: Callable[[Sequence[str]], str],
    schema: Mapping[str, object] | None,
    seed: int,
    budget: int | None,
) -> tuple[Framed, ...]:
    # A name stands inside a marker, so it may not open or close one.
    names = [
        sanitise(" ".join(part.name.split()).translate(_ROUND)) for part in materials
    ]
    texts = [sanitise(part.text[:SEARCHED]) for part in materials]
    put = [sanitise(question) for question in questions]
    criterion = asked([one.text for one in put])
    wanted = (
        ""
        if schema is None
        else json.dumps(schema, sort_keys=True, ensure_ascii=True, indent=1)
    )
    clean = [
        Material(name.text, text.text) for name, text in zip(names, texts, strict=True)
    ]
    room = _room(prompt, criterion + wanted, len(clean), budget)
    packed = pack_for(tuple(clean), tuple(one.text for one in put), room)
    coverages = [
        _with_unsearched(one.coverage, materials, each.text)
        for one, each in zip(packed, put, strict=True)
    ]
    shown = packed[0].materials
    # The boundary follows from the whole materials, so that questions shown different passages share it.
    pieces = [text for part in (*clean, *shown) for text in (part.name, part.text)]
    boundary = boundary_for(pieces[: 2 * len(clean)], avoid=pieces, seed=seed)
    messages = prompt.render(
        shown,
        criterion=criterion,
        boundary=boundary,
        schema=wanted,
        coverage=coverages[0].for_prompt(),
    )
    digest, suspected = message_digest(messages), _suspected(materials, texts)

    def one_of(own: Sanitised, coverage: Coverage) -> Framed:
        all_done = (*names, *texts, own)
        return Framed(
            messages=messages,
            digest=digest,
            replaced=sum(done.replaced for done in all_done),
            families=_families(all_done),
            materials=shown,
            coverage=coverage,
            suspected=suspected,
        )

    return tuple(
        one_of(own, coverage) for own, coverage in zip(put, coverages, strict=True)
    )


def _with_unsearched(
    coverage: Coverage, materials: Sequence[Material], question: str
) -> Coverage:
    """The coverage, counting what of a hopelessly long material was not even searched."""
    lengths = [len(part.text) for part in materials]
    if max(lengths, default=0) <= SEARCHED:
        return coverage
    parts = tuple(
        replace(part, total=length) if length > SEARCHED else part
        for part, length in zip(coverage.parts, lengths, strict=True)
    )
    unsearched = tuple(
        f"all of the {part.name} beyond {SEARCHED} characters"
        for part in parts
        if part.total > SEARCHED
    )
    lost = unsearched if concerns(question, Coverage(parts).partial) else ()
    return Coverage(parts, (*coverage.missing, *lost))


def _room(prompt: Prompt, rest: str, many: int, budget: int | None) -> int:
    if budget is None:
        return _NO_LIMIT
    fixed = estimate(prompt.system) + estimate(prompt.user) + estimate(rest)
    return max(budget - fixed - many * _FRAME_TOKENS - _COVERAGE_TOKENS, _LEAST_ROOM)


_NO_LIMIT: Final = 2**62


def _families(all_done: Sequence[Sanitised]) -> dict[Family, int]:
    counts: dict[Family, int] = {}
    for done in all_done:
        for family, count in done.families.items():
            counts[family] = counts.get(family, 0) + count
    return counts


def _suspected(
    materials: Sequence[Material], texts: Sequence[Sanitised]
) -> tuple[Kind, ...]:
    """Which kinds of words to the evaluator the agent's part holds.

    The task is not the agent's. "Ignore your instructions" inside a trace is more often aimed at the agent, and it is
    the agent's merit to have resisted: there, only words to the evaluator count.
    """
    kinds: set[Kind] = set()
    for part, done in zip(materials, texts, strict=True):
        if part.name not in _OWN:
            kinds |= done.found - ({Kind.OVERRIDE} if part.name in _RUN else set())
            kinds |= (
                {Kind.ADDRESS} if Family.MARKER in done.families else set()
            )  # it plays our own frame
    return tuple(sorted(kinds))


def message_digest(messages: Sequence[Mapping[str, str]]) -> str:
    """`sha256:...` of the rendered messages."""
    body = json.dumps(
        [dict(message) for message in messages], sort_keys=True, ensure_ascii=True
    )
    return f"sha256:{hashlib.sha256(body.encode()).hexdigest()}"
