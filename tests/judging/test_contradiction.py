from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.replies.conclusions import (
    ANSWER,
    CLAIM,
    CRITERION,
    OPPOSITE,
    QUESTION,
    SO,
    UNSETTLED,
    Rule,
)
from judgemesh.mesh.judging.replies.contradiction import contradicts, plain, stated

YES, NO, OPEN = Vote.YES, Vote.NO, Vote.CANNOT_ASSESS

CONCLUSIONS = [
    ("the answer is {}", ("yes", "no")),
    ("the answer to the question must be '{}'", ("yes", "no")),
    ("the correct response is {}", ("yes", "no")),
    ("the answer, therefore, is {}", ("yes", "no")),
    ("the answer would thus be {}", ("yes", "no")),
    ("the answer is {}", ("affirmative", "negative")),
    ("so {}", ("yes", "no")),
    ("therefore, it's a clear {}", ("yes", "no")),
    ("this makes the answer {}", ("yes", "no")),
    ("I would answer {}", ("yes", "no")),
    ("I therefore vote {}", ("yes", "no")),
    ("I'm answering {}", ("yes", "no")),
    ("the question can only be answered with {}", ("yes", "no")),
    ("the question is to be answered in the {}", ("affirmative", "negative")),
    ("-> {}", ("yes", "no")),
    ("=> verdict {}", ("yes", "no")),
    ("{} is the right answer", ("yes", "no")),
    ("the criterion is {}", ("met", "not met")),
    ("the criterion has {} satisfied", ("been", "not been")),
    ("the criterion is therefore {}", ("satisfied", "not satisfied")),
    ("the requirement in the question is {}", ("fulfilled", "not fulfilled")),
    ("the reply {} the criterion", ("meets", "does not meet")),
    ("it clearly {} the stated criterion", ("satisfies", "doesn't satisfy")),
    ("it {} what the question asks", ("fulfils", "fails to fulfil")),
    ("the criterion {}", ("has been met", "is unmet")),
    ("it {} the criterion", ("meets", "violates")),
    ("die Antwort lautet {}", ("ja", "nein")),
    ("daher {}", ("ja", "nein")),
    ("somit ist das Kriterium {}", ("erfüllt", "nicht erfüllt")),
    ("la réponse est donc {}", ("oui", "non")),
    ("le critère {} rempli", ("est", "n'est donc pas")),
    ("por lo tanto {}", ("sí", "no")),
    ("la respuesta es {}", ("sí", "no")),
    ("{}se cumple el criterio", ("", "no ")),
]
STATED = [
    (form.format(word), vote)
    for form, words in CONCLUSIONS
    for word, vote in zip(words, (YES, NO), strict=True)
] + [
    (text, OPEN)
    for text in (
        "it cannot be determined",
        "this can't be verified from the record",
        "it is impossible to tell",
        "there is not enough information to decide",
        "there is insufficient evidence in the log to judge that",
        "the record is not sufficient to decide",
        "the record doesn't contain enough information to decide",
        "I am unable to assess this",
        "we cannot verify that",
        "nothing in the record settles this question",
        "the evidence shown does not settle the question",
        "das lässt sich nicht beurteilen",
        "il est impossible de conclure",
        "no se puede determinar",
    )
]
FACTS = st.sampled_from(
    [
        "The log has an entry for 4 May.",
        "No refund was promised!",
        "The reply names three of the five steps; two are left out.",
        "The guest said no at first.",
        "According to the table the price is 14 EUR.",
    ]
)


@given(FACTS, st.sampled_from(STATED), st.sampled_from(["{}.", "**{}**.", "\u2013 {}"]))
def test_a_conclusion_is_found_behind_any_fact(
    fact: str, conclusion: tuple[str, Vote], form: str
) -> None:
    text, vote = conclusion
    reason = f"{fact} {form.format(text[0].upper() + text[1:])}"
    assert stated(reason) is vote
    assert [other for other in Vote if not contradicts(other, reason)] == [vote]


@given(
    st.sampled_from(STATED), st.sampled_from(STATED), st.sampled_from([", but ", ". "])
)
def test_the_last_conclusion_decides(
    first: tuple[str, Vote], last: tuple[str, Vote], between: str
) -> None:
    assert stated(f"At first sight {first[0]}{between}{last[0]}.") is last[1]


@given(
    st.sampled_from([one for one in STATED if not re.match(SO, one[0])]),
    st.sampled_from(
        [
            "The agent claims that {}, without a source.",
            "The reply says that {}.",
            "The tool was told that {}.",
            "The agent wrote: '{}', which is not in the log.",
            "According to the reply {}.",
            "If the date is missing, {}.",
            "Had the date been missing, {}.",
            "The agent asked whether {}.",
        ]
    ),
)
def test_what_others_say_and_what_would_be_is_no_conclusion(
    conclusion: tuple[str, Vote], form: str
) -> None:
    assert stated(form.format(conclusion[0])) is None


@given(st.sampled_from([one for one in STATED if "criteri" in one[0]]))
def test_a_criterion_of_somebody_else_is_none(conclusion: tuple[str, Vote]) -> None:
    text = conclusion[0].replace("criterion", "criterion of the landlord")
    if text != conclusion[0]:
        assert stated(f"The tenant was right: {text}.") is None


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("Answer: no. The agent skipped the check.", NO),
        ("The crate was never weighed.\n\nFinal verdict - No", NO),
        ("Result: No, the crate was never weighed.", NO),
        ("The answer to whether the crate was weighed is yes.", YES),
        ("Criterion not met.", NO),
        ("Kriterium nicht erfüllt!", NO),
        ("Critère non rempli.", NO),
        ("No cumple el criterio.", NO),
        ("Not enough info to decide.", OPEN),
        ("Cannot tell from the log.", OPEN),
        ("The user said: can't tell.", None),
        ("The price is mentioned, and the criterion is met.", YES),
        ("The evidence does not let me decide, so cannot_assess is right.", OPEN),
        ("It cannot be determined if it was sent.", OPEN),
        (
            "It cannot be assessed from the trace, but the receipt shows it, so yes.",
            YES,
        ),
        # nothing is stated
        ("The agent's answer is no.", None),
        ("The customer said yes.", None),
        ("The guest answered no, and nothing was booked.", None),
        ("So no refund was made.", None),
        ("Overall, no step was left out.", None),
        ("Conclusion: no second booking was made.", None),
        ("Verdict of the jury: no award.", None),
        ("The answer is no more than two sentences long.", None),
        ("The answer would be no if the date were missing.", None),
        ("The answer is no only if the date is missing.", None),
        ("There is no evidence of a refund.", None),
        ("The criterion asks for a date.", None),
        ("The applicant meets the criteria for a loan.", None),
        ("So the answer is no longer in doubt.", None),
        ("This makes no difference to the total.", None),
        ("The agent was unable to determine the size and guessed.", None),
        ("There is not enough time between the two trains.", None),
        ("También se nombra el precio.", None),
        ("", None),
    ],
)
def test_what_a_reason_states(reason: str, said: Vote | None) -> None:
    assert stated(reason) is said
    for vote in Vote:
        assert contradicts(vote, reason) is (said is not None and said is not vote)


def test_reasons_as_judges_write_them() -> None:
    """Reasons in many domains, written before the rules for them, each with a vote that it contradicts or not."""
    lines = Path(__file__).with_name("reasons.jsonl").read_text("utf-8").splitlines()
    rows = list(map(json.loads, lines))
    wrong = [
        row
        for row in rows
        if contradicts(Vote(row["vote"]), row["reason"]) is not row["contradicts"]
    ]
    assert wrong == []
    assert Counter(row["contradicts"] for row in rows) == {True: 159, False: 154}


@pytest.mark.parametrize("rule", [*QUESTION, *CLAIM, *CRITERION, *UNSETTLED])
@given(data=st.data())
def test_every_match_of_a_rule_has_a_text_that_it_needs(
    rule: Rule, data: st.DataObject
) -> None:
    drawn: str = data.draw(st.sampled_from(STATED))[0]
    text = plain(
        data.draw(st.sampled_from(["", "yes is right: ", drawn + ". "])) + drawn
    )
    wanted = [match.span() for match in re.finditer(rule.pattern, text)]
    assert [match.span() for match in rule.matches(text)] == wanted
    assert rule not in QUESTION or not wanted or ANSWER.search(text)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("A date is given, so the claim is false.", NO),
        ("The claim is true: no date is given.", YES),
        ("Hence the claim is not true.", NO),
        # which is why the claim holds
        ('The correct answer to the question is "no".', None),
    ],
)
def test_a_claim_is_true_or_false(reason: str, said: Vote | None) -> None:
    assert stated(reason, claim=True) is said


def test_what_is_turned_round_twice_is_as_it_was() -> None:
    assert all(OPPOSITE[OPPOSITE[vote]] is vote for vote in Vote)
