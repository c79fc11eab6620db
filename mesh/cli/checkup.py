"""What `judgemesh doctor` looks at. A finding names environment variables, never what they hold."""

from __future__ import annotations

import asyncio
import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import (
    InputError,
    JudgeError,
    JudgemeshError,
    LedgerError,
)
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.reporting.checks import Check
from judgemesh.mesh.reporting.text import plural

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.engines import LedgerAddress

PACKAGES: Final = (
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
)
KEY_NAMES: Final = (
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


def check_up(
    *, ledger: str, judge: str | None, judge_api_base: str | None, prices: Path | None
) -> list[Check]:
    """Every check, in the order in which they are shown."""
    checks = [
        _python(),
        Check("judgemesh", ok=True, found=VERSION),
        *_packages(),
        _litellm(),
        *_validators(),
    ]
    checks += [_ledger(ledger), _keys()]
    if judge is not None:
        checks.append(_judge(judge, judge_api_base))
        if not judge.startswith(f"{_RECORDING}:"):
            checks.append(_price(judge, prices))
    return checks


def _python() -> Check:
    found = f"{platform.python_version()} at {sys.executable}"
    return Check("python", sys.version_info >= (3, 11), found)


def _packages() -> Iterator[Check]:
    for name in PACKAGES:
        found = _version(name)
        yield Check(
            name, found is not None, found or f"not installed; pip install {name}"
        )


def _litellm() -> Check:
    """Whether the model client could be imported; importing it takes seconds, so that is not done here."""
    found = _version("litellm")
    if found is None or find_spec("litellm") is None:
        return Check("litellm", ok=False, found="not installed; pip install litellm")
    return Check("litellm", ok=True, found=found)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _validators() -> Iterator[Check]:
    from judgemesh.mesh.grading.plugins import Registry

    try:
        registry = Registry.discover()
    except InputError as error:
        yield Check("validators", ok=False, found=str(error))
        return
    names = ", ".join(sorted(registry.validators))
    yield Check(
        "validators",
        bool(registry.validators),
        f"{plural(len(registry.validators), 'validator')}: {names or 'none'}",
    )
    for name, reason in sorted(registry.broken.items()):
        yield Check(
            f"validator {name}",
            ok=False,
            found=f"{registry.origin(name)}: cannot be loaded: {reason}",
        )


def _ledger(url: str) -> Check:
    from judgemesh.mesh.ledger.engines import parse_address

    try:
        place = parse_address(url)
        return _ledger_at(url, place)
    except LedgerError as error:
        return Check("ledger", ok=False, found=str(error))


def _ledger_at(url: str, place: LedgerAddress) -> Check:
    """An existing ledger is read and locked for writing once; a missing one is not made."""
    if place.is_memory:
        return Check("ledger", ok=True, found="in memory: nothing is kept")
    if place.path is not None and not place.path.exists():
        folder = next(
            parent for parent in place.path.absolute().parents if parent.exists()
        )
        ok = folder.is_dir() and os.access(folder, os.W_OK)
        return Check(
            "ledger",
            ok,
            f"{place.name}: not made yet; {folder} can{'' if ok else 'not'} be written",
        )
    return asyncio.run(_ledger_version(url, place))


async def _ledger_version(url: str, place: LedgerAddress) -> Check:
    from sqlalchemy.exc import SQLAlchemyError

    from judgemesh.mesh.ledger.engines import reading_engine
    from judgemesh.mesh.ledger.faults import ledger_error
    from judgemesh.mesh.ledger.migrations import (
        MIGRATIONS,
        check_version,
        version_of,
    )
    from judgemesh.mesh.ledger.store import Ledger

    known = MIGRATIONS[-1].version
    engine = reading_engine(place, _LOCK_WAIT_S)
    try:
        with engine.begin() as connection:
            present = version_of(connection)
        check_version(present)
    except (SQLAlchemyError, LedgerError) as error:
        raise ledger_error(error, place.name) from error
    finally:
        engine.dispose()
    if present is None:
        return Check("ledger", ok=True, found=f"{place.name}: holds no ledger yet")
    if present < known:
        return Check(
            "ledger",
            ok=True,
            found=f"{place.name}: schema version {present}; grading brings it to {known}",
        )
    async with await Ledger.open(url, busy_timeout_s=_LOCK_WAIT_S):
        return Check(
            "ledger",
            ok=True,
            found=f"{place.name}: schema version {present}, can be written",
        )


def _keys() -> Check:
    present = [name for name in KEY_NAMES if os.environ.get(name)]
    return Check(
        "API keys",
        ok=True,
        found=f"set: {', '.join(present)}"
        if present
        else "none set; only needed for a judge",
    )


def _price(model: str, prices: Path | None) -> Check:
    from judgemesh.mesh.pricing.prices import PriceBook

    try:
        price = PriceBook.bundled(user_file=prices).find(model)
    except InputError as error:
        return Check("price", ok=False, found=str(error))
    if price is None:
        return Check(
            "price",
            ok=False,
            found=f"{model}: unknown, so its cost will be unknown too; give --prices FILE",
        )
    each = (
        f"{price.price_input_per_million:f} in, {price.price_output_per_million:f} out"
    )
    found = f"{model}: {each}, {price.currency} a million tokens ({price.price_version or 'no version'})"
    return Check("price", ok=True, found=found)


def _judge(model: str, api_base: str | None) -> Check:
    try:
        return Check("judge", ok=True, found=asyncio.run(_call(model, api_base)))
    except JudgemeshError as error:
        kind = f"{error.error_type}: " if isinstance(error, JudgeError) else ""
        return Check("judge", ok=False, found=f"{model}: {kind}{error}")


async def _call(model: str, api_base: str | None) -> str:
    """One real, tiny call; what served it and how long it took. A recording is only opened: it holds no such answer."""
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
    tokens = (
        "usage not reported"
        if reply.usage is None
        else plural(reply.usage.total, "token")
    )
    served, took_s = reply.model_served or "an unnamed model", perf_counter() - started
    return f"{model}: answered by {served} in {took_s:.1f} s, loading the client included; {tokens}"
