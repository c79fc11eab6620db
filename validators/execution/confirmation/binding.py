"""Whether what was said in a talk is about a recorded execution: its target, its amounts and its other values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from typing import Final

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.text.literal_search import stands_whole
from judgemesh.contracts.text.unit_words import is_unit
from judgemesh.validators._shared.numbers.numbers import readings
from judgemesh.validators._shared.numbers.rates import (
    is_of_each,
    is_price_of_one,
    makes_rate,
)
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.trace.verbs import kind_words, stem
from judgemesh.validators.execution.agreement import CURRENCIES, fields_of
from judgemesh.validators.execution.confirmation.language.reply_words import LIMIT
from judgemesh.validators.execution.confirmation.language.said_numbers import (
    numbers_in_words,
)
from judgemesh.validators.execution.confirmation.language.wording import (
    action_verbs,
    spaced,
    with_english_verbs,
)

_AMOUNTS: Final = frozenset(
    {"amount", "price", "total", "sum", "fee", "cost", "value", "amounteur", "amountusd", "payment", "charge", "refund",
     "netamount", "grossamount", "totalamount", "totalprice", "fare", "rent", "salary", "bid", "premium", "deposit",
     "betrag", "preis", "importe", "montant"}
)  # fmt: skip
_NUMBER = re.compile(
    r"(?<![\w.,-])\d[\d.,'\u2019]*(?:\s\d{3}(?!\d))*(?:\s?(?:k|thousand|million|mn|bn)\b)?(?![\w-])|"
    r"(?<=[$\u20ac\u00a3\u00a5])\d[\d.,']*(?:k\b)?",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"(?:[$\u20ac\u00a3\u00a5\u20b9]|\b(?:usd|eur|gbp|chf|euros?|dollars?|pounds?|bucks|inr|jpy|cad|"
    r"aud|sek|nok|pln)\b)",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"(?:\bmake (?:it|that)|\bbut|\bonly|\brather|\bjust|,)\s+(?:only |just |rather |for |with |at ){0,6}"
    r"(?:[$\u20ac\u00a3\u00a5]|(?:usd|eur|gbp|chf) )?\s?(?P<number>\d[\d.,']*)(?![\w%:-])"
    r"(?:\s?(?:[$\u20ac\u00a3\u00a5]|usd|eur|gbp|chf|euros?|dollars?|pounds?))?"
    r"(?:\s+(?:please|instead|only|is enough|will do|then)){0,6}\s*(?:[.!,;]?\s*$|[.!,;]\s)",
    re.IGNORECASE,
)
_BESIDE_NUMBER = re.compile(
    r"([$\u20ac\u00a3\u00a5\u20b9]|\b[a-z]{3}\b)?\s?\d[\d.,']*\s?([$\u20ac\u00a3\u00a5\u20b9]|[a-z]{3,7}\b)?"
)
_IN_CURRENCY = re.compile(
    r"\b(?:in|en)\s+(?:(?:swiss|us|american|british|schweizer)\s+)?([a-z]{3,8}|[$\u20ac\u00a3\u00a5\u20b9])"
)
_CURRENCY = re.compile(r"[a-z]+|[$\u20ac\u00a3\u00a5\u20b9]")
_DOLLARS: Final = frozenset({"usd", "cad", "aud"})
"""What `dollars` may mean."""
_TOKEN = re.compile(r"[^\s,;:!?()\[\]\"'<>]+")
_WORD = re.compile(r"[^\W_]+")
_QUANTITIES: Final = frozenset(
    map(
        stem,
        ("quantity", "qty", "count", "units", "seats", "nights", "dose", "dosage", "shares", "tickets", "copies",
         "packs", "persons", "guests", "number", "hours", "percent"),
    )
)  # fmt: skip
_CURRENCY_BEHIND = re.compile(
    r"^\s?(?:[$\u20ac\u00a3\u00a5\u20b9]|[a-z]{3}\b|euros?\b|dollars?\b|pounds?\b)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_MIN_NAME: Final = 2


def amounts_of(record: ExecutionRecord) -> list[Decimal]:
    """The amounts of money that a record was made with."""
    found: list[Decimal] = []
    for name, value in fields_of(record).items():
        if name in _AMOUNTS or name.startswith("amount"):
            found += readings(value)[:1]
    return found


def numbers_in(text: str) -> set[Decimal]:
    """The numbers that a text names, in every reading."""
    found: set[Decimal] = set()
    for match in _NUMBER.finditer(plain(text)):
        found.update(readings(match[0].strip().rstrip(".,")))
    return found


def money_in(text: str) -> set[Decimal]:
    """The numbers of a text that stand beside a currency."""
    found: set[Decimal] = set()
    shown = plain(text)
    for match in _NUMBER.finditer(shown):
        around = shown[max(0, match.start() - 4) : match.end() + 8]
        if _MONEY.search(around):
            found.update(readings(match[0].strip().rstrip(".,")))
    return found


def other_currency(text: str, record: ExecutionRecord) -> str | None:
    """The currency that a text names (`40 USD`,
    `in dollars`) where the record was made in another; else None."""
    own: set[str] = set()
    for name, value in fields_of(record).items():
        if "currency" in name or name in _AMOUNTS:
            own |= _currencies(str(value).casefold())
    said: set[str] = set()
    shown = plain(text).casefold()
    for around in _BESIDE_NUMBER.finditer(shown):
        said |= _currencies(" ".join(filter(None, around.groups())))
    for behind in _IN_CURRENCY.findall(shown):
        said |= _currencies(behind)
    if not own or not said or own & said:
        return None
    return None if own | said <= _DOLLARS else min(said)


def _currencies(text: str) -> set[str]:
    return {CURRENCIES[word] for word in _CURRENCY.findall(text) if word in CURRENCIES}


def limits_in(text: str) -> list[Decimal]:
    """The bounds on an amount that a text sets (`not more than 40`)."""
    found: list[Decimal] = []
    for match in LIMIT.finditer(plain(text)):
        found += readings(match["bound"].rstrip(".,"))[:1]
    return found


def corrected_amounts(text: str) -> set[Decimal]:
    """The amounts that an answer gives instead of the proposed one: `make it 30`, `yes, but 45`."""
    found: set[Decimal] = set()
    for match in _CORRECTED.finditer(plain(text)):
        found.update(readings(match["number"].rstrip(".,")))
    return found


def names_action(text: str, record: ExecutionRecord) -> bool:
    """Whether a text names the action: a verb of its kind, its target, or its amount."""
    shown = with_english_verbs(plain(text).casefold())
    stems = set(map(stem, _WORD.findall(shown)))
    if not stems.isdisjoint(action_verbs(record.kind)):
        return True
    if not stems.isdisjoint(map(stem, kind_words(record.kind))):
        return True
    if names_target(text, record.target):
        return True
    return not numbers_in(text).isdisjoint(amounts_of(record))


def names_target(text: str, target: str | None) -> bool:
    """Whether a text names the target, whole or by the words that tell it from others."""
    if target is None:
        return True
    return names_value(text, target)


def target_words(target: str | None) -> frozenset[tuple[str, ...]]:
    """The words of a target that tell it from others; of an id, all its parts (`orders_old`)."""
    tokens = [tuple(_WORD.findall(token)) for token in _folded(target or "").split()]
    return frozenset(
        parts
        for parts in tokens
        if len("".join(parts)) > _MIN_NAME or "".join(parts).isdigit()
    )


def names_value(text: str, value: object) -> bool:
    """Whether a text names a value: a number in any spelling, else all telling words of it."""
    numbers = readings(value)
    if numbers:
        return not (numbers_in(text) | numbers_in_words(text)).isdisjoint(numbers)
    folded = _folded(str(value))
    shown = _folded(text)
    if stands_whole(folded, shown, str.isalnum):
        return True
    words = _WORD.findall(folded)
    telling = [word for word in words if any(character.isdigit() for character in word)]
    said = set(_WORD.findall(shown))
    if telling:
        return said.issuperset(telling)
    names = [
        word
        for word in _WORD.findall(folded.partition("@")[0])
        if len(word) > _MIN_NAME
    ]
    return any(name in said and not _surnamed(text, name, names) for name in names)


def _surnamed(text: str, name: str, names: Collection[str]) -> bool:
    """Whether the text goes on with another name: `Ann Jones`, for `Ann Fox`."""
    found = re.search(
        rf"\b{re.escape(name)}\s+(?-i:([A-Z][^\W\d_]+))", plain(text), re.IGNORECASE
    )
    return found is not None and found[1].casefold() not in names


def another_is_named(texts: Iterable[str], values: Collection[str]) -> bool:
    """Whether the texts name an id of the same shape as a value (`order-18` for `order-17`), but not the value.

    A thing with a number (`disk 1` for `disk 2`) is such an id, whatever stands between the two.
    """
    if any(_is_numbered_otherwise(texts, value) for value in values):
        return True
    said = [token for text in texts for token in _TOKEN.findall(_folded(text))]
    for value in values:
        folded = _folded(value)
        own = shape(folded)
        if own is None or any(folded in token for token in said):
            continue
        if any(shape(token.strip(".#*_`")) == own for token in said):
            return True
    return False


def _is_numbered_otherwise(texts: Iterable[str], value: str) -> bool:
    """Whether a value is a thing with a number, and the texts name the thing with other numbers only."""
    *others, number = _number_words(value)
    thing = next((word for word in reversed(others) if word not in _NUMBER_SIGNS), "")
    if not number.isdigit() or not thing.isalpha() or len(thing) < _MIN_NAME:
        return False
    named = False
    for text in texts:
        words = [word for word in _number_words(text) if word not in _NUMBER_SIGNS]
        if _without_zeros(number) in map(_without_zeros, words):
            return False
        for word, behind, next_one in zip(
            words, words[1:], [*words[2:], ""], strict=False
        ):
            is_own = word == thing and behind.isdigit()
            named = named or (is_own and not is_unit(next_one))
    return named


def _number_words(text: str) -> list[str]:
    """The words of a text, with decimals, times and dates in one piece."""
    return _NUMBER_WORD.findall(plain(text).casefold()) or [""]


def _without_zeros(word: str) -> str:
    return word.lstrip("0") or word


_NUMBER_WORD: Final = re.compile(r"\d++(?:[.,:/]\d++)*+|[^\W\d_]++|#")
_NUMBER_SIGNS: Final = frozenset({"#", "no", "nr", "number", "num", "nummer"})


def shape(token: str) -> str | None:
    """An id's shape: its letters, and `0` for each run of digits; one for e-mail addresses; None for what is no id."""
    if _ADDRESS.fullmatch(token):
        return "@"
    if (
        not any(map(str.isdigit, token))
        or not any(map(str.isalpha, token))
        or " " in token
    ):
        return None
    return re.sub(r"\d+", "0", token)


def identifying_values(record: ExecutionRecord) -> list[str]:
    """The target and the text values that name something: what a confirmation of another one would name differently."""
    values = [record.target] if record.target else []
    values += [value for value in fields_of(record).values() if isinstance(value, str)]
    return values


def other_quantity(own: Sequence[str], record: ExecutionRecord) -> str | None:
    """A quantity of the record that the texts name with another number; None where there is none.

    A quantity is a parameter whose name says so (`quantity`, `seats`) or holds the unit of a number in the texts
    (`dose_mg`, for `500 mg`). Numbers that belong to other values of the record name no quantity.
    """
    said = set[Decimal]().union(*map(numbers_in, own))
    taken = set[Decimal]().union(*map(money_in, own))
    for value in (record.target, *fields_of(record).values()):
        taken |= numbers_in(str(value).replace("-", " ").replace("_", " "))
    for name, value in record.parameters.items():
        numbers = set(readings(value))
        if not numbers or not said.isdisjoint(numbers):
            continue
        words = set(map(stem, kind_words(name)))
        if not words.isdisjoint(_QUANTITIES) and said - taken:
            return name
        if any(stem(unit) in words for text in own for unit in _units(text)):
            return name
    return None


def offers_piece_price(texts: Iterable[str], record: ExecutionRecord) -> bool:
    """Whether the amount of an execution was named as the price of one piece only: `88 EUR each`.

    Not where the record is of a single piece.
    """
    amounts = amounts_of(record)
    quantities = [
        readings(value)[:1]
        for name, value in record.parameters.items()
        if not _QUANTITIES.isdisjoint(map(stem, kind_words(name)))
    ]
    if not amounts or any(one == (Decimal(1),) for one in quantities):
        return False
    named = [rate for text in texts for rate in _named_amounts(text, amounts)]
    return bool(named) and all(named)


def _named_amounts(text: str, amounts: Collection[Decimal]) -> list[bool]:
    """For each place in a text that names one of the amounts, whether it is the price of one piece there."""
    shown = plain(text)
    found: list[bool] = []
    for match in _NUMBER.finditer(shown):
        if set(readings(match[0].strip().rstrip(".,"))).isdisjoint(amounts):
            continue
        after = _CURRENCY_BEHIND.sub("", shown[match.end() : match.end() + 60])
        before = shown[max(0, match.start() - 60) : match.start()]
        is_piece = makes_rate(after) or is_price_of_one(after)
        found.append(is_piece or is_of_each(before))
    return found


def _units(text: str) -> list[str]:
    """The words right behind numbers."""
    return re.findall(r"\d\s?([^\W\d_]{1,12})(?![^\W_])", plain(text).casefold())


def lacks_parameter(
    texts: Sequence[str], record: ExecutionRecord, names: Iterable[str]
) -> str | None:
    """The first parameter that a confirmation has to name and that none of the texts does."""
    fields = fields_of(record)
    for name in names:
        folded = fold_name(name)
        if folded not in fields or not any(
            names_value(text, fields[folded]) or _is_bounded(text, fields[folded])
            for text in texts
        ):
            return name
    return None


def _is_bounded(text: str, value: object) -> bool:
    """Whether a text sets a bound and the value keeps it: `not more than 1,300`."""
    limits, numbers = limits_in(text), readings(value)
    return bool(limits and numbers) and numbers[0] <= min(limits)


def _folded(text: str) -> str:
    return " ".join(spaced(plain(text)).casefold().split())
