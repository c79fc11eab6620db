"""The options of one scorer, as a contract gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from judgemesh.contracts.codes import CODES, Effect, FailureCode

_KNOWN: Final = frozenset(
    {
        "id",
        "use",
        "init",
        "args",
        "expected",
        "context",
        "threshold",
        "metric",
        "gating",
        "code",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerOptions:
    """One scorer.

    use: `module:name` of a callable, a class or a metric. A class is called with `init` first.
    args: further arguments of the call.
    expected, context: the expected answer, and the texts that the answer should rest on.
    threshold: the lowest score that passes.
    """

    id: str
    use: str
    init: Mapping[str, Any] = field(default_factory=dict[str, Any])
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    expected: Any = None
    context: tuple[str, ...] = ()
    threshold: float = 0.5
    metric: str | None = None
    gating: bool = False
    code: FailureCode = FailureCode.UNKNOWN_FAILURE


def options_of(entry: Any, position: int) -> ScorerOptions | str:
    """The options of an entry of `args.scorers`, or what is wrong with it in one line."""
    where = f"args.scorers[{position}]"
    if not isinstance(entry, Mapping):
        return f"{where}: expected an object with `use: module:name`"
    given = dict(cast("Mapping[str, Any]", entry))
    unknown = sorted(given.keys() - _KNOWN)
    if unknown:
        return f"{where}: unknown key {unknown[0]!r}; a scorer has {', '.join(sorted(_KNOWN))}"
    use = given.get("use")
    if not isinstance(use, str) or ":" not in use:
        return f"{where}.use: expected module:name, got {use!r:.60}"
    threshold = given.get("threshold", 0.5)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        return f"{where}.threshold: expected a number, got {threshold!r:.60}"
    code = given.get("code", FailureCode.UNKNOWN_FAILURE.value)
    if code not in CODES or CODES[FailureCode(code)].effect is Effect.HOLD:
        return f"{where}.code: expected a failure code of the agent, got {code!r:.60}"
    given["code"] = FailureCode(code)
    given["id"] = str(given.get("id", use))
    given["context"] = tuple(map(str, given.get("context", ())))
    return ScorerOptions(**given)
