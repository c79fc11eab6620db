"""Texts masked before anything of a result is kept or printed: patterns, and functions of installed packages.

Validators and judges see the texts as they are. The report, the kept content, judge calls and look-ups pass through
here on their way out. It fails closed: a text that a function cannot redact is withheld whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.redaction import MASK
from judgemesh.contracts.report import Report, ValidatorVerdict
from judgemesh.mesh.inputs.entry_points import installed, load_instance, unknown

if TYPE_CHECKING:
    from judgemesh.contracts.attempts import JudgeAttempt, SourceLookup
    from judgemesh.contracts.opinions import Opinion

GROUP: Final = "judgemesh.redactors"
"""The entry points of functions that take a text and return it without what may not be kept."""
WITHHELD: Final = "(withheld: it could not be redacted)"
HOOK: Final = "hook:"
_KIND: Final = "redactor"
_MAX_DEPTH: Final = 60
_IDS: Final = ("result_id", "task_id")

Redact = Callable[[str], str]


@dataclass(slots=True)
class TextRedactor:
    """Applies functions to texts, one after the other.

    steps: each with its name. failures: how often a function could not be used, by its name and what happened.
    """

    steps: Sequence[tuple[str, Redact]]
    failures: Counter[str] = field(default_factory=Counter[str])

    def text(self, text: str) -> str:
        """The text as every step leaves it; `WITHHELD` where a step raises, or returns no text."""
        for name, redact in self.steps:
            try:
                redacted: object = redact(text)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 (a plug-in may raise anything)
                # Its message may hold the text.
                self.failures[f"{name} raised {type(error).__name__}"] += 1
                return WITHHELD
            if type(redacted) is not str:
                kind = type(redacted).__name__
                self.failures[f"{name} returned {kind}, no text"] += 1
                return WITHHELD
            text = redacted
        return text

    def optional(self, text: str | None) -> str | None:
        """As `text`; None stays."""
        return None if text is None else self.text(text)

    def data(self, value: Any, depth: int = 0) -> Any:
        """JSON-like data with every text, key and number redacted; what is nested too deep is withheld."""
        if depth > _MAX_DEPTH:
            return WITHHELD
        match value:
            case None | bool():
                return value
            case int() | float():
                shown = str(value)
                redacted = self.text(shown)
                return value if redacted == shown else redacted
            case Mapping():
                items = cast("Mapping[Any, Any]", value).items()
                return {
                    self.text(str(key)): self.data(item, depth + 1)
                    for key, item in items
                }
            case list() | tuple():
                values = cast("Sequence[Any]", value)
                return [self.data(item, depth + 1) for item in values]
            case _:
                return self.text(str(value))

    def report(self, report: Report) -> Report:
        """The report; gates, codes, scores and ids stay."""
        return replace(
            report,
            explanation=self.text(report.explanation),
            verdicts=tuple(map(self._verdict, report.verdicts)),
        )

    def _verdict(self, row: ValidatorVerdict) -> ValidatorVerdict:
        verdict = row.verdict
        redacted = replace(
            verdict,
            check=self.text(verdict.check),
            diagnostic=self.text(verdict.diagnostic),
            evidence_refs=tuple(map(self.text, verdict.evidence_refs)),
            details=self.data(verdict.details),
            opinion=None if verdict.opinion is None else self._opinion(verdict.opinion),
        )
        return replace(row, verdict=redacted)

    def _opinion(self, opinion: Opinion) -> Opinion:
        return replace(
            opinion,
            question=self.text(opinion.question),
            reason=self.text(opinion.reason),
            others=tuple(map(self._opinion, opinion.others)),
        )

    def content(self, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is kept of a result; its own ids stay, since rows are found by them."""
        redacted: dict[str, Any] = self.data(content)
        for name in _IDS:
            if name in content["result"]:
                redacted["result"][name] = content["result"][name]
        return redacted

    def attempt(self, attempt: JudgeAttempt) -> JudgeAttempt:
        """A judge call; models, tokens and costs stay."""
        return replace(
            attempt,
            reason=self.optional(attempt.reason),
            error_message=self.optional(attempt.error_message),
            reply=self.optional(attempt.reply),
        )

    def lookup(self, lookup: SourceLookup) -> SourceLookup:
        """A look-up in a source."""
        return replace(
            lookup,
            query=self.data(lookup.query),
            ref=self.optional(lookup.ref),
            fields=self.data(lookup.fields),
            error_message=self.optional(lookup.error_message),
        )

    def take_failures(self) -> Mapping[str, int]:
        """The failures since the last call; from now on they are counted anew."""
        taken, self.failures = self.failures, Counter()
        return taken

    def warnings(self) -> Iterator[str]:
        """A line for each way in which texts could not be redacted."""
        for what, count in sorted(self.failures.items()):
            yield f"redaction: {what} ({count} times); those texts are withheld whole"


def redactor_of(settings: Sequence[str | Redact]) -> TextRedactor | None:
    """The redactor of the setting `redact`: RE2 patterns, `hook:NAME` of a package, functions; None without any.

    Raises:
        ConfigError: a pattern cannot be used, or a hook is not installed or no function.
    """
    steps = [_step(setting) for setting in settings]
    return TextRedactor(steps) if steps else None


def _step(setting: str | Redact) -> tuple[str, Redact]:
    if not isinstance(setting, str):
        return getattr(setting, "__name__", type(setting).__name__), setting
    if setting.startswith(HOOK):
        return setting, _hook(setting.removeprefix(HOOK))
    return f"pattern {setting[:40]!r}", _masking(setting)


def _hook(name: str) -> Redact:
    points = installed(GROUP, _KIND)
    if not points:
        message = f"no installed package offers a {_KIND} (entry points {GROUP})"
        raise ConfigError(message, where="redact")
    if name not in points:
        raise unknown(_KIND, name, points)
    loaded = load_instance(points[name], _KIND)
    if not callable(loaded):
        raise ConfigError(f"{_KIND} {name!r} is no function of a text", where="redact")
    return cast("Redact", loaded)


def _masking(pattern: str) -> Redact:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        text = error.args[0] if error.args else error
        fault = text.decode(errors="replace") if isinstance(text, bytes) else text
        raise ConfigError(
            f"{pattern!r} is no usable pattern (RE2 syntax): {fault}", where="redact"
        ) from None
    if compiled.search("") is not None:
        message = f"{pattern!r} matches the empty text; name at least one character"
        raise ConfigError(message, where="redact")
    return lambda text: compiled.sub(MASK, text)
