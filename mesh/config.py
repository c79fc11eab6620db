"""The settings of a mesh: one model, filled from code, a TOML file, the environment
and command-line flags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.late import AS_GIVEN
from judgemesh.contracts.money import exact_amount
from judgemesh.contracts.text.spelling import nearest
from judgemesh.contracts.validator import Validator

if TYPE_CHECKING:
    from judgemesh.contracts.gateway import Gateway
    from judgemesh.contracts.voting import VotingPolicy
else:
    # They are taken as given, so nothing looks at their types.
    Gateway = VotingPolicy = Any


def now_utc() -> datetime:
    """The default clock of a mesh."""
    return datetime.now(UTC)


def _no_boolean(value: object) -> object:
    """Refuse `True` and `False`, which Python counts as the numbers 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("boolean", "expected a number")
    return value


def _amount(value: object) -> Decimal:
    """An exact amount of money, 0 or more."""
    amount = exact_amount(value)
    if amount is None:
        raise PydanticCustomError("amount", "expected an amount of money")
    return amount


_TEXT: Final = WithJsonSchema({"type": "string"})
_TEXTS: Final = WithJsonSchema(
    {"type": ["string", "array"], "items": {"type": "string"}}
)
_AMOUNT: Final = WithJsonSchema(
    {"type": ["number", "string"], "format": "money", "minimum": 0}
)

_NUMBER: Final = BeforeValidator(_no_boolean)

Count = Annotated[int, Field(ge=1), _NUMBER]
Positive = Annotated[float, Field(gt=0), _NUMBER]
Share = Annotated[float, Field(ge=0, le=1), _NUMBER]
Money = Annotated[Decimal | float | str, BeforeValidator(_amount), _AMOUNT]
ContractLike = str | Path | EvalContract | Mapping[str, Any]
Contracts = ContractLike | Sequence[ContractLike] | None
Redactors = str | Callable[[str], str] | Sequence[str | Callable[[str], str]]
Judges = str | Gateway | Sequence[str | Gateway] | None


class MeshConfig(BaseModel):
    """Everything a mesh can be told. `docs/reference/configuration.md` lists every setting.

    Raises:
        ConfigError: a setting has a wrong value; the line names the setting.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    contracts: Annotated[Contracts, AS_GIVEN, _TEXTS] = Field(
        default=None,
        description="Contract files, or folders of them. In code also contracts, as objects or as "
        "mappings, or none where each call brings its own.",
    )
    judge: Annotated[Judges, AS_GIVEN, _TEXTS] = Field(
        default=None,
        description="Model that answers yes/no questions (openai/gpt-4.1-mini, "
        "openai-compatible:MODEL), or replay:FILE for a recording. Several models are "
        "a panel: each of them is asked every question.",
    )
    panel: Literal["auto", "majority", "log_odds", "stacking"] = Field(
        default="auto",
        description="How the votes of a panel are combined: majority, log_odds (needs "
        "30 labels), stacking (needs 100), or auto: the best that the labels allow.",
    )
    judge_api_base: str | None = Field(
        default=None, description="Base URL of the judge's API, for your own server."
    )
    escalate: Annotated[str | Gateway | None, AS_GIVEN, _TEXT] = Field(
        default=None,
        description="Stronger judge, of another model family, for questions that the "
        "first judge leaves open.",
    )
    escalate_audit: Share = Field(
        default=0.0,
        description="Share of all questions that both judges are asked, drawn with "
        "the seed. Labels of these questions can certify the pair.",
    )
    votes: Annotated[str | VotingPolicy | None, AS_GIVEN, _TEXT] = Field(
        default=None,
        description="lead: ask until one answer leads; single: ask once; economy: gates "
        "decide as five votes do, with fewer. Without it: as a recording was made, else "
        "economy in that mode, else lead.",
    )
    batch_criteria: Annotated[int, Field(ge=1, le=8), _NUMBER] = Field(
        default=1,
        description="Number of plain criteria of a result that are asked in one call, "
        "1 to 8. More is cheaper, but answers can influence each other; the summary "
        "says whether they did. Gates are always asked alone.",
    )
    batch_audit: Share = Field(
        default=0.05,
        description="Share of such calls whose criteria are asked alone as well, to "
        "measure that influence.",
    )
    prices: Annotated[str | Path | None, _TEXT] = Field(
        default=None,
        description="File of model prices that take precedence over the bundled "
        "prices. The cost of a judge without a price is unknown.",
    )
    ledger: Annotated[str | Path | None, _TEXT] = Field(
        default=None,
        description="Where reports are kept: a file or an SQLAlchemy URL. In code: "
        "none keeps nothing.",
    )
    content: bool = Field(
        default=True,
        description="Keep the answer, the conversation, the state and the records of each "
        "result in the ledger, for `judgemesh report RESULT_ID`.",
    )
    redact: Annotated[Redactors, AS_GIVEN, _TEXTS] = Field(
        default=(),
        description="What is masked before anything of a result is kept or printed: RE2 "
        "patterns, or hook:NAME of an installed function. In code also functions of a "
        "text. Caches are off then.",
    )
    run_name: str | None = Field(
        default=None,
        description="Name of the run in the ledger. The same name continues the run.",
    )
    max_concurrency: Count = Field(
        default=64, description="Number of results that are graded at the same time."
    )
    judge_concurrency: Count = Field(
        default=16, description="Number of judge calls at the same time."
    )
    max_retries: Annotated[int, Field(ge=0), _NUMBER] = Field(
        default=2,
        description="How often a judge call is repeated after a temporary error.",
    )
    backend: Literal["votes", "probability"] = Field(
        default="votes",
        description="votes, or probability: use the provider's own P(yes) first, "
        "where it has one, and votes where that does not settle a question.",
    )
    requests_per_minute: Positive | None = Field(
        default=None, description="Maximum judge calls per minute."
    )
    tokens_per_minute: Positive | None = Field(
        default=None,
        description="Maximum input tokens per minute for the judge (estimated).",
    )
    max_cost: Money | None = Field(
        default=None,
        description="Maximum cost of the judge for the whole run, in the currency of "
        "its price.",
    )
    mode: Literal["full", "economy"] = Field(
        default="full",
        description="full, or economy: gating questions one after another, none after the "
        "gate has failed, except for a sample (audit_share); gates decide as five votes do.",
    )
    audit_share: Share = Field(
        default=0.05,
        description="Share of the validators whose questions economy mode asks although "
        "the gate has failed.",
    )
    seed: Annotated[int, _NUMBER] = Field(
        default=0, description="Seed of all random choices."
    )
    judge_timeout_s: Positive = Field(
        default=60.0, description="Time limit of one judge call, in seconds."
    )
    timeout_s: Positive | None = Field(
        default=None,
        description="Time limit of each validator without one in the contract, in "
        "seconds; time spent waiting for a judge counts.",
    )
    cache: bool = Field(
        default=True,
        description="Take judge answers from the cache, and keep them there.",
    )
    offline: bool = Field(
        default=False,
        description="Answer evidence look-ups from the ledger only: replays a report.",
    )
    validators: Annotated[Sequence[Validator | str], AS_GIVEN, _TEXTS] = Field(
        default=(),
        description="Validators that run for every contract, by name. In code also "
        "validators.",
    )
    base_dir: Annotated[str | Path, _TEXT] = Field(
        default=".",
        description="Folder that relative paths in results given in code start from. "
        "For a configuration file: its folder.",
    )
    clock: SkipJsonSchema[Callable[[], datetime]] = Field(
        default=now_utc, description="Source of the time in rows of the ledger."
    )

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """The settings without passwords and keys of addresses."""
        from judgemesh.contracts.redaction import safe_data

        for name, value in super().__repr_args__():
            yield name, safe_data(value)

    @model_validator(mode="wrap")
    @classmethod
    def _in_one_line(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            raise _config_error(error) from None

    @model_validator(mode="after")
    def _check_judges(self) -> Self:
        if self.escalate is not None and not self.judges:
            raise ConfigError(
                "needs a first judge, and there is none",
                where="escalate",
                hint="--judge MODEL",
            )
        if self.escalate is not None and self.escalate in self.judges:
            raise ConfigError(
                f"{self.escalate} is the first judge too: it would only repeat itself",
                where="escalate",
                hint="name another model, preferably of another family",
            )
        if self.escalate_audit and self.escalate is None:
            raise ConfigError(
                "asks both judges, and there is one",
                where="escalate_audit",
                hint="--escalate MODEL",
            )
        if self.panel != "auto" and len(self.judges) <= 1:
            raise ConfigError(
                "combines several judges, and there is one",
                where="panel",
                hint="give --judge again",
            )
        return self

    @property
    def judges(self) -> tuple[str | Gateway, ...]:
        """Every judge that `judge` names: none, one, or a panel."""
        if self.judge is None:
            return ()
        if isinstance(self.judge, Sequence) and not isinstance(self.judge, str):
            return tuple(self.judge)
        return (self.judge,)

    @property
    def redactors(self) -> tuple[str | Callable[[str], str], ...]:
        """Every pattern, hook and function that `redact` names, in order."""
        if isinstance(self.redact, str) or callable(self.redact):
            return (self.redact,)
        return tuple(self.redact)

    def budget_limit(self) -> Decimal | None:
        """`max_cost` as an exact amount."""
        return None if self.max_cost is None else Decimal(self.max_cost)


SETTINGS: Final = frozenset(MeshConfig.model_fields) - {"clock"}
"""What a file, the environment and flags can set."""
LISTS: Final = frozenset({"contracts", "judge", "redact", "validators"})
"""Settings that hold one text or several."""
_KINDS: Final = {
    "array": "text or a list of texts",
    "boolean": "true or false",
    "integer": "a whole number",
    "money": "an amount of money",
    "number": "a number",
    "string": "text",
}


# --- messages ---


def expected_value(name: str) -> str:
    """What a setting takes, in words: `a whole number from 1 to 8`."""
    schema: dict[str, Any] = MeshConfig.model_json_schema()["properties"][name]
    variants = schema.get("anyOf", [schema])
    schema = next(variant for variant in variants if variant.get("type") != "null")
    if "enum" in schema:
        *others, last = schema["enum"]
        return f"{', '.join(others)} or {last}"
    types = schema["type"]
    kind = schema.get("format") or (types if isinstance(types, str) else types[-1])
    return _KINDS[kind] + _bounds(schema)


def _bounds(schema: Mapping[str, Any]) -> str:
    if "exclusiveMinimum" in schema:
        return f" above {schema['exclusiveMinimum']:g}"
    if "maximum" in schema:
        return f" from {schema['minimum']:g} to {schema['maximum']:g}"
    if "minimum" in schema:
        return f" of {schema['minimum']:g} or more"
    return ""


def _config_error(error: ValidationError) -> ConfigError:
    """The first problem that pydantic reports, as one line."""
    from judgemesh.contracts.redaction import safe_data

    problem = error.errors()[0]
    name = str(problem["loc"][0])
    if problem["type"] == "extra_forbidden":
        return unknown_setting(name)
    expected = expected_value(name) if name in SETTINGS else "a function"
    given = safe_data(problem["input"])
    return ConfigError(f"expected {expected}, got {given!r:.80}", where=name)


def unknown_setting(
    name: str, where: str | None = None, also: Sequence[str] = ()
) -> ConfigError:
    """The error for a setting that does not exist; `also` are further names that could have been meant."""
    near = nearest(name, [*SETTINGS, *also])
    hint = f"did you mean {near!r}?" if near else None
    return ConfigError(f"unknown setting {name!r}", where=where, hint=hint)
