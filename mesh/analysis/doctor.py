"""Checks of the installation: packages, validators, ledger, keys, and a judge.

Results name environment variables, never their values.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import (
    InputError,
    JudgeError,
    LedgerError,
)
from judgemesh.contracts.version import VERSION

if TYPE_CHECKING:
    from judgemesh.mesh.config import MeshConfig
    from judgemesh.mesh.judging.client.client import Client
    from judgemesh.mesh.ledger.engines import LedgerAddress

_PACKAGES: Final = (
    "pydantic",
    "sqlalchemy",
    "anyio",
    "httpx",
    "orjson",
    "jsonschema-rs",
    "google-re2",
    "numpy",
    "typer",
    "rich",
    "litellm",
)
_KEY_NAMES: Final = (
    "ANTHROPIC_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AZURE_API_KEY",
    "COHERE_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_AI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "TOGETHERAI_API_KEY",
    "XAI_API_KEY",
)
_LOCK_WAIT_S: Final = 2.0
_RECORDING: Final = "replay"


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """The result of one check. `found` never holds a secret."""

    name: str
    ok: bool
    found: str

    def to_json(self) -> dict[str, object]:
        """`{name, ok, found}`."""
        return {"name": self.name, "ok": self.ok, "found": self.found}


def check_up(config: MeshConfig) -> list[DoctorCheck]:
    """Every check of the set-up that `judgemesh grade` would use, in the order in which they are shown."""
    checks = [
        _python(),
        DoctorCheck("judgemesh", ok=True, found=VERSION),
        *map(_package, _PACKAGES),
        *_validators(),
        _ledger(str(config.ledger)),
        _keys(),
    ]
    if config.judges:
        checks += asyncio.run(_judges(config))
    return checks


def _python() -> DoctorCheck:
    detail = f"{platform.python_version()} at {sys.executable}"
    return DoctorCheck("python", sys.version_info >= (3, 11), detail)


def _package(name: str) -> DoctorCheck:
    """Whether a package is installed. It is not imported: litellm alone takes seconds."""
    try:
        return DoctorCheck(name, ok=True, found=version(name))
    except PackageNotFoundError:
        return DoctorCheck(name, ok=False, found=f"not installed; pip install {name}")


def _validators() -> Iterator[DoctorCheck]:
    from judgemesh.mesh.grading.plugins import ValidatorRegistry

    try:
        registry = ValidatorRegistry.discover()
    except InputError as error:
        yield DoctorCheck("validators", ok=False, found=str(error))
        return
    names = sorted(registry.validators)
    detail = f"{len(names)} installed: {', '.join(names)}" if names else "none"
    yield DoctorCheck("validators", bool(names), detail)
    for name, reason in sorted(registry.broken.items()):
        origin = registry.origin(name)
        detail = f"{origin}: cannot be loaded: {reason}"
        yield DoctorCheck(f"validator {name}", ok=False, found=detail)


def _ledger(url: str) -> DoctorCheck:
    from judgemesh.mesh.ledger.engines import parse_address

    try:
        return _ledger_at(url, parse_address(url))
    except LedgerError as error:
        return DoctorCheck("ledger", ok=False, found=str(error))


def _ledger_at(url: str, address: LedgerAddress) -> DoctorCheck:
    """Read an existing ledger and lock it once for writing; create none."""
    if address.is_memory:
        return DoctorCheck("ledger", ok=True, found="in memory: nothing is kept")
    path = address.path
    if path is None or path.exists():
        return asyncio.run(_ledger_version(url, address))
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    writable = folder.is_dir() and os.access(folder, os.W_OK)
    can = "can" if writable else "cannot"
    detail = f"{address.name}: not created yet; {folder} {can} be written"
    return DoctorCheck("ledger", writable, detail)


async def _ledger_version(url: str, address: LedgerAddress) -> DoctorCheck:
    from sqlalchemy.exc import SQLAlchemyError

    from judgemesh.mesh.ledger.engines import reading_engine
    from judgemesh.mesh.ledger.faults import ledger_error
    from judgemesh.mesh.ledger.schema.migrations import (
        MIGRATIONS,
        check_version,
        version_of,
    )
    from judgemesh.mesh.ledger.store import Ledger

    known = MIGRATIONS[-1].version
    engine = reading_engine(address, _LOCK_WAIT_S)
    try:
        with engine.begin() as connection:
            present = version_of(connection)
        check_version(present)
    except (SQLAlchemyError, LedgerError) as error:
        raise ledger_error(error, address.name) from error
    finally:
        engine.dispose()
    name = address.name
    if present is None:
        return DoctorCheck("ledger", ok=True, found=f"{name}: holds no ledger yet")
    detail = f"{name}: schema version {present}"
    if present < known:
        return DoctorCheck(
            "ledger", ok=True, found=f"{detail}; grading brings it to {known}"
        )
    async with await Ledger.open(url, busy_timeout_s=_LOCK_WAIT_S):
        return DoctorCheck("ledger", ok=True, found=f"{detail}, can be written")


def _keys() -> DoctorCheck:
    present = [name for name in _KEY_NAMES if os.environ.get(name)]
    detail = f"set: {', '.join(present)}" if present else ""
    return DoctorCheck(
        "API keys", ok=True, found=detail or "none set; only needed for a judge"
    )


def _price(model: str, prices: str | Path | None) -> DoctorCheck:
    from judgemesh.mesh.pricing.prices import PriceBook

    try:
        price = PriceBook.bundled(user_file=Path(prices) if prices else None).find(
            model
        )
    except InputError as error:
        return DoctorCheck("price", ok=False, found=str(error))
    if price is None:
        detail = f"{model}: no price, so its cost will be unknown; give --prices FILE"
        return DoctorCheck("price", ok=False, found=detail)
    per_million = (
        f"{price.price_input_per_million:f} in, {price.price_output_per_million:f} out, "
        f"{price.currency} per million tokens"
    )
    version_text = price.price_version or "no version"
    return DoctorCheck(
        "price", ok=True, found=f"{model}: {per_million} ({version_text})"
    )


async def _judges(config: MeshConfig) -> list[DoctorCheck]:
    """One small call to each judge, made as the preflight of `judgemesh grade` makes it, and its price."""
    from judgemesh.mesh.judging.build import JudgeBuilder

    config = config.model_copy(update={"cache": False})
    checks: list[DoctorCheck] = []
    async with AsyncExitStack() as stack:
        builder = JudgeBuilder(config, stack)
        try:
            builder.build(None, None, None)
        except InputError as error:
            return [DoctorCheck("judge", ok=False, found=str(error))]
        for client in builder.clients:
            checks.append(await _judge(client))
            checks.append(_price(client.model, config.prices))
    for judge in (*config.judges, config.escalate):
        if isinstance(judge, str) and judge.startswith(f"{_RECORDING}:"):
            found = f"{judge}: a recording that can be used"
            checks.append(DoctorCheck("judge", ok=True, found=found))
    return checks


async def _judge(client: Client) -> DoctorCheck:
    """Which model answered, and how long it took."""
    from time import perf_counter

    from judgemesh.contracts.attempts import CallContext
    from judgemesh.mesh.judging.probe import PREFLIGHT, probe

    started = perf_counter()
    try:
        answer = await probe(client, CallContext(validator_name=PREFLIGHT))
    except JudgeError as error:
        found = f"{client.model}: {error.error_type}: {error}"
        return DoctorCheck("judge", ok=False, found=found)
    took_s = perf_counter() - started
    served = answer.value.model_served or "an unnamed model"
    tokens = "usage not reported"
    if answer.value.usage is not None:
        tokens = f"{answer.value.usage.total:,} tokens"
    found = (
        f"{client.model}: answered by {served} in {took_s:.1f} s, including the time to load "
        f"the client; {tokens}"
    )
    return DoctorCheck("judge", ok=True, found=found)
