"""Checks of the installation: packages, validators, ledger, keys, and a judge.

Results name environment variables, never their values.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import (
    InputError,
    JudgeError,
    JudgemeshError,
    LedgerError,
)
from judgemesh.contracts.version import VERSION

if TYPE_CHECKING:
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
_CALL_TIMEOUT_S: Final = 30.0
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


def check_up(
    *, ledger: str, judge: str | None, judge_api_base: str | None, prices: Path | None
) -> list[DoctorCheck]:
    """Every check, in the order in which they are shown."""
    checks = [
        _python(),
        DoctorCheck("judgemesh", ok=True, found=VERSION),
        *map(_package, _PACKAGES),
        *_validators(),
        _ledger(ledger),
        _keys(),
    ]
    if judge is not None:
        checks.append(_judge(judge, judge_api_base))
        if not judge.startswith(f"{_RECORDING}:"):
            checks.append(_price(judge, prices))
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


def _price(model: str, prices: Path | None) -> DoctorCheck:
    from judgemesh.mesh.pricing.prices import PriceBook

    try:
        price = PriceBook.bundled(user_file=prices).find(model)
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


def _judge(model: str, api_base: str | None) -> DoctorCheck:
    try:
        return DoctorCheck("judge", ok=True, found=asyncio.run(_call(model, api_base)))
    except JudgemeshError as error:
        kind = f"{error.error_type}: " if isinstance(error, JudgeError) else ""
        return DoctorCheck("judge", ok=False, found=f"{model}: {kind}{error}")


async def _call(model: str, api_base: str | None) -> str:
    """Make one small call: which model answered, and how long it took.

    A recording is only opened, as it holds no answer to this call.
    """
    from time import perf_counter

    from judgemesh.contracts.gateway import ModelCall
    from judgemesh.mesh.judging.gateways.open import model_of, open_gateway

    gateway = open_gateway(model, api_base=api_base)
    if gateway.name == _RECORDING:
        return f"{model}: a recording of {model_of(model, gateway)} that can be used"
    call = ModelCall(
        model=model,
        messages=({"role": "user", "content": "Answer with the word yes."},),
        parameters={"max_tokens": 16},
        question_id="doctor",
        timeout_s=_CALL_TIMEOUT_S,
    )
    started = perf_counter()
    try:
        reply = await gateway.complete(call)
    finally:
        await gateway.aclose()
    took_s = perf_counter() - started
    served = reply.model_served or "an unnamed model"
    tokens = "usage not reported"
    if reply.usage is not None:
        tokens = f"{reply.usage.total:,} tokens"
    return (
        f"{model}: answered by {served} in {took_s:.1f} s, including the time to load "
        f"the client; {tokens}"
    )
