"""What the result of a tool call says of the call, sign by sign: done, open, failed or done in part.

Tools that only read tell of the state of other things, so their words are no standing of the call. A tool that asks for
a consent returns the answer of a person, and that is its standing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from judgemesh.contracts.result_parts.call_results import (
    PROBLEM_KEYS,
    STATUS_KEYS,
    as_object,
    folded_key,
    opened,
    states_error,
    wrapped,
)
from judgemesh.validators._shared.trace.call_sentences import (
    is_sentence,
    telling_clause,
    without_absent_faults,
)
from judgemesh.validators._shared.trace.status import Standing, standing, status_key
from judgemesh.validators._shared.trace.status_words import REHEARSAL
from judgemesh.validators._shared.trace.verbs import (
    acts,
    asks_consent,
    examines,
    hands_over_text,
    kind_words,
    reads,
    spoken_verbs,
    stem,
    stems_of,
    tests,
    undoes,
    verbs_of,
)
from judgemesh.validators._shared.values import as_sequence, flag, is_number, json_text

_HEAD: Final = re.compile(r"[^.:;,\n(\u2014]*")
_SHARE: Final = re.compile(
    r"\s*(\d{1,9})\s*(?:of|out of|/|von|de|di|van|av|af|(?:[a-z]+ )?sur|su)\s*(\d{1,9})\b"
)
_MAX_WORDS: Final = 3
"""A text is a status where no more words than these stand before its first mark."""
_MAX_KEYS: Final = 8
"""A result with more keys is a record, and its status that of the thing recorded."""
_MAX_DEPTH: Final = 4
_MAX_SHOWN: Final = 80
_ACCEPTED: Final = "202"
_NO_ARGUMENTS: Final[Mapping[str, object]] = MappingProxyType({})
UNDONE: Final = frozenset({Standing.FAILED, Standing.OPEN, Standing.PARTIAL})
_SUCCESSES: Final = frozenset({"success", "successful", "succeeded", "issuccess", "ok"})
_CONSENTS: Final = frozenset(
    {"approved", "authorised", "authorized", "allowed", "permitted", "confirmed", "granted", "accepted", "executed",
     "completed", "done", "applied", "committed", "passed"}
)  # fmt: skip
"""Flags that say, where they are false, that what was asked for did not come about."""
_ANSWERS: Final = frozenset(
    {"decision", "verdict", "answer", "approval", "approvalstatus", "approvalstate", "authorization"}
)  # fmt: skip
"""Keys of what a person said."""
_VERDICTS: Final = STATUS_KEYS | _ANSWERS | {"statuscode", "httpstatus", "response"}
_YES: Final = stems_of(
    "yes ok okay approved granted agreed accepted confirmed authorised authorized allowed permitted go proceed sure"
    " lgtm approve grant accept agree signed ja oui si sim genehmigt freigegeben zugestimmt einverstanden approuve"
    " approuvee accorde accordee autorise autorisee aprobado aprobada concedido concedida autorizado autorizada"
    " approvato godkjent godkend godkant goedgekeurd"
)
_AGREED: Final = re.compile(
    r"\bd'accord\b|\bde acuerdo\b|\bfine (?:by|with) (?:me|us)\b|\bfeu vert\b|\bgreen light\b|\bgrunes licht\b|"
    r"\bluz verde\b|\bdarf\b|\bgives? (?:\w+ )?consent\b|\bstimmt zu\b"
)
_APPROVAL: Final = stems_of("approval decision authorization authorisation")
_FAULTS: Final = frozenset({"errors", "error", "failed"})
_FAULT_NAMES: Final = frozenset({"failure", "fault", "failurereason", "faultstring"})
_EXITS: Final = frozenset({"returncode", "exitcode", "exitstatus", "retcode"})
_NO_EXIT: Final = frozenset({"", "0", "None"})
_SMALL_CODES: Final = range(-100, 100)
_ERROR_CODE: Final = re.compile(r"e(?:rr(?:or)?)?[ _-]?(?:[a-z_]{3,}|\d+)$", re.IGNORECASE)  # fmt: skip
_MESSAGES: Final = frozenset({"message", "msg", "detail", "details"})
_ABOUT_THE_CALL: Final = PROBLEM_KEYS | STATUS_KEYS | {"code", "errorcode", "statuscode", "type"}  # fmt: skip
_REHEARSALS: Final = frozenset(word.replace(" ", "") for word in REHEARSAL)
_TRIALS: Final = REHEARSAL | _REHEARSALS | {"test"}


class Sign(NamedTuple):
    """What one part of a result says of the call, and the part as it is shown to people."""

    says: Standing
    part: str


def signs(result: object, tool: str, arguments: Mapping[str, object]) -> Iterator[Sign]:
    """What a result says of the call that had these arguments, in whatever wrapping."""
    lines = as_sequence(opened(result))
    if lines is not None and len(lines) == 1 and isinstance(lines[0], str):
        result = lines[0]
    for _ in range(_MAX_DEPTH):
        result = opened(result)
        if isinstance(result, str):
            yield _of_text(result, tool, arguments)
            return
        items = as_sequence(result)
        if items is not None and len(items) != 1:
            yield from _of_items(items, tool)
            return
        if result is False and not reads(tool):
            yield Sign(Standing.FAILED, "false")
        known = as_object(result)
        if known is None:
            return
        for key, value in known.items():
            says = _of_value(key, value, tool, known, arguments)
            yield Sign(says, f"{key}: {shown(value)}")
        result = wrapped(known)


def shown(value: object) -> str:
    """A value as it is shown to people, at most 80 characters."""
    text = value if isinstance(value, str) else json_text(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."


def _of_text(
    text: str, tool: str, arguments: Mapping[str, object] = _NO_ARGUMENTS
) -> Sign:
    if reads(tool):
        return Sign(Standing.DONE, text)
    read = without_absent_faults(text).strip()
    if asks_consent(tool):
        done, clause = telling_clause(read, "")
        is_open = done is False or (done is None and _is_no_yes(read))
        return Sign(Standing.OPEN if is_open else Standing.DONE, shown(clause or text))
    says = _of_beginning(_without_reference(read, arguments), tool)
    if hands_over_text(tool):
        return Sign(says if says is Standing.FAILED else Standing.DONE, shown(text))
    done, clause = telling_clause(read, tool)
    if done is False or (done is True and _is_of_another(read, arguments)):
        return Sign(Standing.OPEN, shown(clause))
    if done is None and says is Standing.UNKNOWN and is_sentence(text):
        from judgemesh.validators._shared.trace.unclear_sentences import leaves_open

        if leaves_open(read, tool, arguments):
            return Sign(Standing.OPEN, shown(text))
    # What was done may be about a failure: `Logged fault 881`.
    is_open = says is Standing.OPEN and not undoes(tool)
    is_part = _is_part(_without_reference(read, arguments))
    is_done = done is True and not is_open and not is_part
    return Sign(Standing.DONE if is_done else says, shown(text))


def _is_of_another(text: str, arguments: Mapping[str, object]) -> bool:
    """Whether a sentence that says that the work is done names another thing than the call."""
    if not arguments or not is_sentence(text):
        return False
    from judgemesh.validators._shared.trace.replaced_values import names_another

    return names_another(text, arguments)


def _without_reference(text: str, arguments: Mapping[str, object]) -> str:
    """The text without a value of the call at its beginning that looks like a share: `26/417: granted`."""
    for value in arguments.values():
        if isinstance(value, str) and "/" in value and text.startswith(value):
            return text.removeprefix(value).lstrip(" :,-")
    return text


def _is_no_yes(text: str) -> bool:
    """Whether what a person said is in words, and none of them is a known consent."""
    words = [word for word in kind_words(status_key(text)) if word.isalpha()]
    agrees = not _YES.isdisjoint(map(stem, words)) or _AGREED.search(status_key(text))
    return bool(words) and not agrees


def _is_part(text: str) -> bool:
    """Whether a text begins with a count of less than the whole."""
    share = _SHARE.match(text)
    return share is not None and int(share[1]) < int(share[2])


def _of_beginning(text: str, tool: str) -> Standing:
    """What a count or a status at the beginning of a text says."""
    if _SHARE.match(text):
        return Standing.PARTIAL if _is_part(text) else Standing.DONE
    head = _HEAD.match(text)
    if head is None or not 0 < len(head[0].split()) <= _MAX_WORDS:
        return Standing.UNKNOWN
    if head[0][:1].isdecimal():
        return _of_code(head[0].split()[0], tool)
    says = standing(text, tool)
    first = status_key(head[0]).split()[0]
    names_object = first in kind_words(tool)[1:] and not acts(tool)
    # `Mould` of `fit_mould` is the object and not the work.
    is_said = says is not Standing.DONE or not names_object
    return says if is_said else standing(text)


def _of_code(code: str, tool: str) -> Standing:
    """An HTTP code that says that something was accepted leaves open whether it is done."""
    is_open = code == _ACCEPTED and standing(code, tool) is Standing.UNKNOWN
    return Standing.OPEN if is_open else Standing.UNKNOWN


def _of_items(items: Sequence[object], tool: str) -> Iterator[Sign]:
    """Several results of one call: done in part where some are errors."""
    if not reads(tool):
        for item in items:
            if states_error(item):
                yield Sign(Standing.PARTIAL, shown(item))


def _of_value(
    key: str,
    value: object,
    tool: str,
    result: Mapping[str, object],
    arguments: Mapping[str, object],
) -> Standing:
    """What one value of an object says of the call."""
    name = folded_key(key)
    raised = flag(value)
    rehearses = name in _REHEARSALS or name == "isdryrun"
    if (
        (name in _SUCCESSES and (value is None or raised is False))
        or (name in _EXITS and str(value).strip() not in _NO_EXIT)
        or (name == "passed" and raised is False and tests(tool))
    ):
        return Standing.FAILED
    if (name == "partial" and raised is True) or (
        name in _FAULTS and _holds(value) and not examines(tool)
    ):
        return Standing.PARTIAL
    if (rehearses and raised is True) or (
        name == "code" and _is_error_code(value, result)
    ):
        return Standing.OPEN
    if rehearses or reads(tool):
        return Standing.DONE
    if name in _MESSAGES and isinstance(value, str) and _is_message(result):
        return _of_text(value, tool, arguments).says
    return _of_work(name, value, tool, result)


def _of_work(
    name: str, value: object, tool: str, result: Mapping[str, object]
) -> Standing:
    """What one value says about the work of a tool that does more than read."""
    named = kind_words(tool)
    is_own = _is_own_act(name, tool)
    if (flag(value) is False and (is_own or name in _CONSENTS)) or (
        name in _FAULT_NAMES and _holds(value) and stem(name) not in named
    ):
        return Standing.FAILED
    if (
        (value is None and (is_own or (name in _CONSENTS and asks_consent(tool))))
        or (name.startswith("pending") and _holds(value))
        or (name == "mode" and name not in named and folded_key(str(value)) in _TRIALS)
    ):
        return Standing.OPEN
    is_short = isinstance(value, str | int) and len(result) <= _MAX_KEYS
    if name in _VERDICTS and is_short:
        return _of_verdict(name, str(value), tool)
    return Standing.DONE


def _is_own_act(name: str, tool: str) -> bool:
    """Whether a key says that the tool did its work: `charged` of `pay_invoice`."""
    own = verbs_of(tool) | spoken_verbs(tool)
    return stem(name) in own and name not in kind_words(tool)


def _of_verdict(name: str, value: str, tool: str) -> Standing:
    words = [stem(word) for word in kind_words(value)]
    asks = asks_consent(tool)
    if asks and name in _ANSWERS and words:
        return Standing.DONE if words[0] in _YES else Standing.OPEN
    if len(value.split()) > _MAX_WORDS:
        return _of_text(value, tool).says if asks else Standing.DONE
    if value.isdecimal():
        return _of_code(value, tool)
    is_of_another = asks or not _APPROVAL.isdisjoint(words)
    return standing(value, "" if is_of_another else tool)


def _is_message(result: Mapping[str, object]) -> bool:
    """Whether an object says no more than how the call ended, and not by a word that it went well."""
    keys = {folded_key(key): value for key, value in result.items()}
    if any(flag(keys.get(name)) is True for name in _SUCCESSES):
        return False
    words = [keys[name] for name in STATUS_KEYS & keys.keys()]
    if any(isinstance(word, str) and standing(word) is Standing.DONE for word in words):
        return False
    return keys.keys() <= _ABOUT_THE_CALL | _SUCCESSES


def _is_error_code(value: object, result: Mapping[str, object]) -> bool:
    """Whether `code` names an error: `E_CONFLICT`, or beside a message a small number that is not 0."""
    if isinstance(value, str):
        is_named = _ERROR_CODE.match(value) is not None
        return is_named or standing(value) is Standing.FAILED
    explained = any(folded_key(key) in PROBLEM_KEYS for key in result)
    return explained and is_number(value) and value != 0 and value in _SMALL_CODES


def _holds(value: object) -> bool:
    """Whether a list, a text or a count of what failed is not empty."""
    if isinstance(value, int | float):
        return value > 0
    return bool(value) and str(value).strip().casefold() not in ("none", "null", "no", "0")  # fmt: skip
