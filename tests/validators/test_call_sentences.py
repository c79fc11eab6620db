"""What sentences, flags and answers of tools say about a call: an open call is no success, an answer is no failure."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.result_parts.call_results import states_error
from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.validators._shared.trace.call_outcome import call_doubt, call_succeeded
from judgemesh.validators.sop import sop

from .helpers import kinds, verdicts

Json = dict[str, Any]

_IN_DOUBT = (
    ("reserve_kiln", "We were not able to reserve kiln 3"),
    ("reserve_kiln", "No kiln free on Tuesday"),
    ("reserve_kiln", "Sorry, the studio is closed"),
    ("reserve_kiln", "The kiln is occupied"),
    ("reserve_kiln", "Reserved 2 of 3 shelves"),
    ("reserve_kiln", "Only 2 shelves reserved"),
    ("reserve_kiln", "Request accepted, will be handled tomorrow"),
    ("reserve_kiln", "will reserve it when the warden is back"),
    ("pay_invoice", "We'll pay after the audit"),
    ("reserve_kiln", "all taken that week sry"),
    ("book_kiln", "kiln 3 all booked out sry"),
    ("book_kiln", "Kilns are booked up until May"),
    ("reserve_kiln", "Ofen 3 konnte nicht reserviert werden"),
    ("reserve_kiln", "Impossible de réserver le four"),
    ("reserve_kiln", "No se ha podido reservar el horno"),
    ("reserve_kiln", "Ovnen ble ikke reservert"),
    ("reserve_kiln", "Unknown member"),
    ("reserve_kiln", "You must be a member to use the kiln"),
    ("reserve_kiln", "We have run out of shelves"),
    ("ship_pots", "The parcel was refused by the carrier"),
    ("ship_pots", "12:04:11 ERROR label printer offline"),
    ("ship_pots", "[dry run] shipped 6 pots"),
    ("ship_pots", "Process exited with code 3"),
    ("pay_fee", "Payment is awaiting release by a second person"),
    ("lock_studio", "Studio is still unlocked"),
    ("glaze_test", "Glaze test failed on tile 4"),
    ("glaze_test", "1 of 6 tiles failed"),
    ("ship_pots", "Parcel 7 leaves today"),
    ("print_labels", "Out of paper"),
    ("create_invoice", "USt-Nummer fehlt"),
    ("open_damper", "Damper 3 still shut"),
    ("publish_recipe", "Saved as draft"),
    ("open_damper", "Feeder empty"),
    ("open_damper", "Klappe 3 klemmt"),
    ("open_damper", "Clapet 3 bloqué"),
    ("reserve_kiln", "Already taken by Ms Aune"),
    ("reserve_kiln", "Bereits vergeben"),
    ("ship_pots", "Expédié 2 pots sur 3"),
    ("ship_pots", "Enviados 2 de 3 tarros"),
    ("ship_pots", "Erst 2 von 3 Paketen versandt"),
    ("assign_warden", "Demande envoyée à Mme Aune"),
)
_DONE = (
    ("reserve_kiln", "Kiln 3 reserved for Tuesday"),
    ("reserve_kiln", "Reservation no. 7 made"),
    ("reserve_kiln", "Ofen 3 reserviert"),
    ("reserve_kiln", "Reference RK-7"),
    ("ship_pots", "Shipped 6 of 6 pots, 0 rejected"),
    ("ship_pots", "Parcel sent to Pending & Daughters"),
    ("log_crack", "Logged crack 12: shelf failed at 1,200 degrees"),
    ("cancel_class", "Cancelled class 4"),
    ("reserve_kiln", "Reserved, the warden will reserve the shelf as well"),
    ("ship_pots", "Parcel 7 sent today and will arrive on Monday"),
    ("decline_offer", "Declined the offer of Ms Aune"),
    ("save_recipe", "Recipe saved to /tmp/errors/blue.txt"),
    ("glaze_test", "6 of 6 tiles passed, no faults"),
    ("run_kiln_check", "error rate 0.1 %, within limits"),
    ("inspect_roof", "No cracks"),
    ("import_members", "0 of 40 rows failed"),
    ("translate_text", "The offer was refused"),
    ("weather", "No rain expected"),
    ("reserve_kiln", "Shelf 3 set aside for you"),
    ("assign_warden", "Frau Aune wurde dem Ofen 3 zugeteilt"),
    ("assign_warden", "Mme Aune est affectée au four 3"),
    ("assign_warden", "La Sra. Aune ha sido asignada al horno 3"),
    ("close_damper", "Damper 3 was already closed"),
    ("close_damper", "Klappe 3 war bereits geschlossen"),
    ("sync_recipes", "Already up to date"),
    ("delete_draft", "Draft deleted"),
    ("delete_draft", "Brouillon supprimé"),
    ("cancel_class", "Kurs 4 abgesagt"),
    ("open_damper", "Damper 3 now open"),
    ("sync_recipes", "Déjà à jour"),
    ("export_list", "Process exited with code 0"),
    ("chat_with_ann", "Feeder empty today"),
)


def ended(result: object, tool: str) -> bool | None:
    """How a call of the tool ended."""
    return call_succeeded(TraceStep(tool_name=tool, result=result))


def _wrappings(text: str) -> list[object]:
    return [text, {"message": text}, [text], {"content": [{"type": "text", "text": text}]}]  # fmt: skip


@pytest.mark.parametrize(("tool", "text"), _IN_DOUBT)
def test_a_sentence_that_denies_the_work_is_no_success(tool: str, text: str) -> None:
    for sentence in (text, f"{text}.", f"{text}. Please call us."):
        assert {ended(each, tool) for each in _wrappings(sentence)} == {None}
    assert call_doubt(TraceStep(tool_name=tool, result=f"{text}. Please call us."))


@pytest.mark.parametrize(("tool", "text"), _DONE)
def test_a_sentence_that_denies_nothing_is_a_success(tool: str, text: str) -> None:
    for sentence in (text, f"{text}.", f"{text}. No errors."):
        assert {ended(each, tool) for each in _wrappings(sentence)} == {True}


@given(st.sampled_from(_IN_DOUBT), st.sampled_from(["book", "note", "kiln"]))
def test_what_was_saved_may_be_about_a_failure(case: tuple[str, str], noun: str) -> None:  # fmt: skip
    """Quoted, or behind a colon, a sentence is the content of what was saved."""
    text = case[1]
    for sentence in (f"Saved the {noun}: {text}", f"Saved the {noun} “{text}”"):
        assert ended(sentence, f"save_{noun}") is True


@pytest.mark.parametrize(
    "result",
    [{"success": 0}, {"ok": "no"}, {"success": None}, {"reserved": False}, {"reserved": None}, {"failure": "no shelf"},
     {"fault": {"text": "no shelf"}}, {"code": "E_TAKEN", "message": "kiln taken"}, {"detail": "Not signed in"},
     {"mode": "test", "kiln": 3}, {"status": "PENDING_APPROVAL"}, {"returncode": 4}],
)  # fmt: skip
def test_values_that_leave_a_call_open(result: Json) -> None:
    for each in (result, json.dumps(result), {"data": result}):
        assert ended(each, "reserve_kiln") is None


@pytest.mark.parametrize(
    "result",
    [{"hasError": True}, {"err": "no shelf"}, {"__type": "ThrottlingException"}, {"status": 500, "body": "oops"},
     {"type": "KilnError", "message": "too hot"}],
)  # fmt: skip
def test_values_that_say_that_a_call_failed(result: Json) -> None:
    for each in (result, json.dumps(result), {"data": result}):
        assert ended(each, "reserve_kiln") is False


@pytest.mark.parametrize(
    "result",
    [{"fault": {"id": 4}, "logged": True}, {"err": None}, {"mode": "live"}, {"code": "RK-7", "message": "Reserved"},
     {"type": "kiln", "message": "Reserved"}, {"tax": 0}, {"status": "success", "message": "No shelf was refused"}],
)  # fmt: skip
def test_values_that_say_nothing_against_a_call(result: Json) -> None:
    assert ended(result, "log_fault") is True


_NOUNS = st.sampled_from(["Kiln", "Tray 4", "Shelf B", "Ofen", "Le four", "El horno"])
_STATES = st.sampled_from(["empty", "jammed", "too hot", "cracked", "leer", "klemmt", "vide", "en panne", "atascado", "averiado",
                           "overheating", "on fire", "wobbles a little", "asks for a key"])  # fmt: skip
_WORKS = st.sampled_from(["open_damper", "reserve_kiln", "ship_pots", "lock_studio", "pay_fee", "publish_recipe"])  # fmt: skip


@given(_WORKS, _NOUNS, _STATES)
def test_the_state_of_a_thing_does_not_say_that_the_work_is_done(tool: str, noun: str, state: str) -> None:  # fmt: skip
    for result in _wrappings(f"{noun} {state}."):
        assert ended(result, tool) is None


@given(_WORKS, st.sampled_from(["Done", "OK", "RK-7", "42", "Reference RK-7", "https://kiln.example/7", ""]))  # fmt: skip
def test_a_word_or_a_code_alone_is_no_sentence(tool: str, text: str) -> None:
    assert ended(text, tool) is True


_DONE_ABROAD = st.sampled_from(["reserviert", "gebucht", "zugeteilt", "réservé", "enregistrée", "publiés", "reservado", "asignada",
                                "entregados", "reservert", "prenotato"])  # fmt: skip


@given(_DONE_ABROAD, st.sampled_from(["nicht", "pas", "no", "ikke", "non"]))
def test_a_participle_says_that_the_work_is_done_unless_it_is_negated(word: str, negation: str) -> None:  # fmt: skip
    assert ended(f"Ofen 3 {word}.", "reserve_kiln") is True
    assert ended(f"Ofen 3 {negation} {word}.", "reserve_kiln") is None


_REFUSALS = ["No", "Nein.", "Declined by Ms Aune", "Still waiting", "Pending", {"answer": "no"}, {"approval": "pending"},
             "Ms Aune is at lunch", "Denegado.", "Frau Aune prüft noch", "Dossier reçu, décision lundi",
             {"approved": None}, {"approved": False}, {"decision": "ask me tomorrow"}, {"status": "pending"},
             {"status": "awaiting_approval"}]  # fmt: skip
_CONSENTS = ["Yes", "OK, go ahead.", "Approval granted. An earlier one was declined.", "Freigegeben.", "Frau Aune ist einverstanden", "Autorizado",
             "Mme Aune est d'accord", {"answer": "yes"},
             {"decision": "APPROVED", "comment": "nothing pending"}, {"approved": "yes"}, {"status": "granted"}]  # fmt: skip
_ASKING = st.sampled_from(["request_approval", "get_approval", "askForPermission", "obtain_signoff"])  # fmt: skip


@given(_ASKING, st.sampled_from(_REFUSALS), st.sampled_from(_CONSENTS))
def test_the_answer_of_a_person_is_the_end_of_asking(tool: str, refusal: object, consent: object) -> None:  # fmt: skip
    assert ended(refusal, tool) is None
    assert ended(consent, tool) is True


@pytest.mark.parametrize("state", ["failed", "FAILED", "failure", "timeout"])
def test_the_failed_state_of_what_was_read_is_an_answer(state: str) -> None:
    firing = {"id": 7, "status": state}
    for result in (firing, {"firing": firing}, {"firings": [firing]}, [firing]):
        assert ended(result, "get_firing") is True
        assert ended(result, "start_firing") is not True
    assert ended({"status": state, "reason": "too hot"}, "get_firing") is None
    assert ended({"error": "no such firing"}, "get_firing") is False
    told = TraceStep(tool_name="get_firing", result=firing, error="offline")
    assert call_succeeded(told) is False


_PHRASES = ["404 Not Found", "503 Service Unavailable", "401 Unauthorized", "409 Conflict", "429 Too Many Requests",
            "500 Internal Server Error", "400 Client Error", "502 Bad Gateway"]  # fmt: skip


@given(st.sampled_from(_PHRASES), st.sampled_from(["", ": kiln", "\nkiln 3", ". Try later", " for url: /x"]))  # fmt: skip
def test_reason_phrases_of_http(phrase: str, rest: str) -> None:
    assert states_error(phrase + rest)


@pytest.mark.parametrize("text", ["450 client records updated.", "500 service hours logged.", "450 not yet billed items",
                                  "404 conflicts solved", "400 request forms printed"])  # fmt: skip
def test_counts_are_no_codes_of_http(text: str) -> None:
    assert not states_error(text)


@pytest.mark.parametrize(
    ("result", "expected"),
    [("OK", ["pass"]), ({"passed": True}, ["pass"]), ({"passed": False}, ["abstain"]), ("Not OK", ["abstain"]),
     ("FAIL", ["abstain"]), ({"error": "offline"}, ["fail"]), (False, ["pass"])],
)  # fmt: skip
def test_a_prerequisite_is_a_call_that_went_through(result: object, expected: list[str]) -> None:  # fmt: skip
    rule = {"tool": "open_kiln", "requires": {"call": "glaze_test"}}
    trace: list[Json] = [
        {"tool_name": "glaze_test", "result": result},
        {"tool_name": "open_kiln", "result": "Opened."},
    ]
    found = verdicts(sop, {"sop": {"prerequisites": [rule]}}, {"output": "x", "trace": trace})  # fmt: skip
    assert kinds(found) == expected


def test_what_is_in_doubt_is_shown() -> None:
    trace = [{"tool_name": "ship_pots", "result": {"id": 4, "status": "queued"}}]
    spec = {"required_tools": ["ship_pots"]}
    found = verdicts(sop, {"sop": spec}, {"output": "x", "trace": trace})
    assert "(step 1: status: queued)" in found[0].diagnostic
