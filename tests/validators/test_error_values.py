"""Fields that hold what a program printed, the message of an error, or a name that begins like a placeholder."""

from __future__ import annotations

import pytest

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.validators.expected_answer import expected_answer
from judgemesh.validators.required_fields import required_fields

from .helpers import codes, kinds, verdicts

NO_VALUES = (
    "IndexError: list index out of range", "ReadTimeout", "app.errors.LotNotFoundException", "Error code 1045",
    "Server error 502", "Database unavailable", "The connection was reset by peer", "Failed to load", "Failed to parse reply",
    "{'exception': 'no row'}", "Gateway timeout", "Internal Server Error", "[object Window]", "#VALUE!", "#####", "Invalid date",
    "%d", "%(berth)s", "\\N", "<function berth at 0x7f>", "System.Object[]", "none, none", "undefined undefined",
    "your berth number here", "Sorry, not known.", "Unfortunately, I do not know.", "Leider unbekannt",
)  # fmt: skip
VALUES = (
    "Mirrorless", "Terror Bay", "Service Quay 4", "Server room", "Gateway Pier", "Failsworth", "12 %", "#4", "%", "Sorry Lane",
    "Object 19", "Invalid Carriage Museum", "Connection Wharf", "Null Island", "harbour@example.org", "Timeouts: 3",
)  # fmt: skip


def found(text: object) -> list[str]:
    """What is said about a required field with that value."""
    contract = {"success_criteria": {"must_include": ["berth"]}}
    output = {"final_answer": "See the data.", "outputs": {"berth": text}}
    return kinds(verdicts(required_fields, contract, {"output": output}))


@pytest.mark.parametrize("text", NO_VALUES)
def test_errors_and_artefacts_are_no_values(text: str) -> None:
    assert found(text) == ["fail"]


@pytest.mark.parametrize("text", VALUES)
def test_values_with_such_words(text: str) -> None:
    assert found(text) == ["pass"]


def test_objects_of_errors() -> None:
    assert found({"error": "timeout"}) == ["fail"]
    assert found({"error": {"code": 7}, "message": "no row"}) == ["fail"]
    assert found({"error": None, "berth": "Quay 12"}) == ["pass"]
    assert found({"name": "Quay 12", "error": "none"}) == ["pass"]


@pytest.mark.parametrize("name", ["error_text", "last_exception", "error", "problem"])
def test_a_field_about_errors_holds_them(name: str) -> None:
    contract = {"success_criteria": {"must_include": [name]}}
    output = {"final_answer": "See the data.", "outputs": {name: "KeyError: 'berth'"}}
    assert kinds(verdicts(required_fields, contract, {"output": output})) == ["pass"]


@pytest.mark.parametrize(
    "text",
    [
        "Not Known: Letters from the Pier",
        "To Be Announced Theatre Company",
        "See Above Climbing Hall",
        "Connection Refused: Poems",
    ],
)
def test_a_name_may_begin_like_a_placeholder(text: str) -> None:
    assert found(text) == ["abstain"]
    contract = {"fields": {"berth": {"equals": text}}}
    given = {"output": {"final_answer": f"Berth: {text}"}}
    assert kinds(verdicts(expected_answer, contract, given)) == ["abstain"]


@pytest.mark.parametrize(
    "text",
    [
        "Not Known",
        "Not known: ask the harbour",
        "To Be Announced By The Harbour",
        "Not Yet Confirmed",
        "Not Available At Present",
        "See Above For Details",
        "To Be Confirmed - Awaiting Review",
    ],
)
def test_a_placeholder_that_goes_on(text: str) -> None:
    contract = {"success_criteria": {"must_include": ["berth"]}}
    output = {"output": {"final_answer": f"Berth: {text}"}}
    assert codes(verdicts(required_fields, contract, output)) == {
        C.MISSING_REQUIRED_FIELD
    }
