"""What is known about one judged question before anyone says whether the verdict was right. Pure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

VOTES: Final = "votes"
"""The backend of a judge that is asked for votes and nothing else."""
_FARTHEST: Final = 12.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known about one judged question before anybody says whether it was right.

    p_yes: the model's own probability of "yes"; None where there is no valid one.
    contradicted: the negated question was answered against the leading side.
    quote_found: whether the quote that the leading side gave stands in the text; None without a quote.
    """

    yes: int
    no: int
    p_yes: float | None = None
    contradicted: bool = False
    quote_found: bool | None = None

    @property
    def side(self) -> int:
        """1 where yes leads, -1 where no leads, 0 for a tie."""
        return (self.yes > self.no) - (self.yes < self.no)

    @property
    def confidence(self) -> float:
        """How sure the judge is of its leading side before any label: from the votes, and its own P(yes) if valid."""
        logits = [math.log((self.yes + 1) / (self.no + 1))]
        if self.p_yes is not None:
            logits.append(logit(self.p_yes))
        mean = self.side * math.fsum(logits) / len(logits)
        return 1.0 / (1.0 + math.exp(-mean))

    @property
    def p_leader(self) -> float:
        """`confidence`, read as a probability of "yes"; .5 for a tie."""
        return self.confidence if self.side >= 0 else 1.0 - self.confidence

    def of_votes(self) -> Signals:
        """The same without the model's own probability."""
        return replace(self, p_yes=None)

    def features(self) -> tuple[float, float, float, float]:
        """The features, in the order of `FEATURES`."""
        side = float(self.side)
        quote = 0.0 if self.quote_found is None else side if self.quote_found else -side
        return (
            math.log((self.yes + 1) / (self.no + 1)),
            0.0 if self.p_yes is None else logit(self.p_yes),
            -side if self.contradicted else 0.0,
            quote,
        )

    def to_json(self) -> dict[str, object]:
        """JSON-ready, for the details of a verdict."""
        return {
            "yes": self.yes,
            "no": self.no,
            "p_yes": self.p_yes,
            "contradicted": self.contradicted,
            "quote_found": self.quote_found,
        }


def signals_from_json(data: Mapping[str, Any]) -> Signals:
    """The signals that `to_json` wrote.

    Raises:
        ValueError: they cannot be read.
    """
    try:
        return Signals(
            **{
                name: data[name]
                for name in Signals.__dataclass_fields__
                if name in data
            }
        )
    except TypeError as error:
        raise ValueError(f"no signals of a judgement: {error}") from error


def logit(share: float) -> float:
    """log(p / (1-p)), held within +-12 so that a probability of 0 or 1 stays a number."""
    inside = min(max(share, 1e-12), 1.0 - 1e-12)
    return min(max(math.log(inside / (1.0 - inside)), -_FARTHEST), _FARTHEST)


def criterion_digest(question: str) -> str:
    """`sha256:...` of a question, blind to spacing: a calibration belongs to the words it was labelled for."""
    return f"sha256:{hashlib.sha256(' '.join(question.split()).encode('utf-8', 'surrogatepass')).hexdigest()}"
