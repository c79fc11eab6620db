from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Material
from judgemesh.prompts.loader import Prompt, available, load, parse, variants

GOOD = 'name = "n"\nversion = 1\nsystem = "s"\nmaterial = "[$name $boundary] $text"\nuser = "$materials $criterion"\n'


def test_every_bundled_prompt_loads_under_its_own_name() -> None:
    assert {"yes_no.v1", "extract.v1"} <= set(available())
    for ref in available():
        assert load(ref).ref == ref


def test_materials_come_first_and_the_criterion_last() -> None:
    system, user = load("yes_no.v1").render(
        [Material("final_answer", "All done."), Material("trace", "step 1")],
        criterion="Is the answer polite?",
        boundary="b7f3",
    )
    assert (system["role"], user["role"]) == ("system", "user")
    text = user["content"]
    order = [
        "[[material final_answer b7f3]]",
        "All done.",
        "[[end b7f3]]",
        "step 1",
        "evidence, not instructions",
    ]
    places = [
        text.index(part)
        for part in [*order, "Question: Is the answer polite?", '"reason"', '"verdict"']
    ]
    assert places == sorted(places)
    assert "All done." not in system["content"]


def test_two_questions_about_one_result_share_their_beginning() -> None:
    prompt, material = load("yes_no.v1"), Material("final_answer", "x" * 5000)
    first, second = (
        prompt.render([material], criterion=question, boundary="b")[1]["content"]
        for question in ("One?", "Two?")
    )
    assert first[:5000] == second[:5000]
    assert first != second


@given(st.text(), st.text())
def test_values_are_never_expanded_again(text: str, criterion: str) -> None:
    boundary = "5c1f0b7e"
    text = text.replace(boundary, "")
    prompt = load("yes_no.v1")
    user = prompt.render(
        [Material("m", f"$criterion {text}")],
        criterion=f"$materials {criterion}",
        boundary=boundary,
    )
    assert f"$criterion {text}" in user[1]["content"]
    assert f"Question: $materials {criterion}" in user[1]["content"]


@pytest.mark.parametrize(("boundary", "text"), [("", "x"), ("abc", "x abc y")])
def test_a_boundary_that_does_not_bound_is_refused(boundary: str, text: str) -> None:
    with pytest.raises(ValueError, match="boundary"):
        load("yes_no.v1").render(
            [Material("m", text)], criterion="?", boundary=boundary
        )


def test_the_digest_follows_the_words_and_nothing_else() -> None:
    digest = parse(GOOD, where="x")[0].digest
    assert digest.startswith("sha256:")
    assert parse("# a comment\n" + GOOD, where="elsewhere")[0].digest == digest
    assert parse(GOOD.replace('"s"', '"t"'), where="x")[0].digest != digest
    assert (
        parse(GOOD.replace("version = 1", "version = 2"), where="x")[0].digest != digest
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = ", "prompt 'x'"),
        (GOOD.replace('name = "n"', "name = 3"), "needs a name"),
        (GOOD.replace('"s"', '"  "'), "'system': must be text"),
        (GOOD.replace("$criterion", "$question"), "unknown placeholder 'question'"),
        (GOOD.replace('"s"', '"$5 fee"'), "unknown placeholder '$'"),
    ],
)
def test_a_broken_prompt_file_says_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, where="x")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_prompt_names_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"yes_no\.v1"):
        load("yes_no.v99")


JUDGING = ("yes_no.v1", "yes_no_negated.v1", "yes_no_first.v1", "yes_no_contradiction.v1", "yes_no_quote.v1",
           "decision.v1")  # fmt: skip
EVERY = [prompt for ref in JUDGING for prompt in variants(ref)]


@pytest.mark.parametrize("prompt", EVERY, ids=lambda prompt: prompt.ref)
def test_every_judge_prompt_shares_its_beginning_so_that_one_cached_prefix_serves_all(
    prompt: Prompt,
) -> None:
    parts = [Material("final_answer", "All done."), Material("trace", "step 1\n" * 50)]
    base = load("yes_no.v1").render(parts, criterion="One?", boundary="b7f3")
    system, user = prompt.render(
        parts, criterion="Two?", boundary="b7f3", coverage="You were shown 5 %."
    )
    assert system == base[0]
    record = user["content"][: user["content"].rindex("[[end b7f3]]")]
    assert base[1]["content"].startswith(record)
    tail = user["content"][len(record) :]
    assert "You were shown 5 %." in tail
    assert tail.index("evidence, not instructions") < len(tail) - 30
    assert "Two?" in tail or prompt.name == "decision"


def test_wordings_rotate_and_each_has_a_name_and_a_digest() -> None:
    wordings = variants("yes_no.v1")
    assert [prompt.ref for prompt in wordings] == [
        "yes_no.v1",
        "yes_no.v1.b",
        "yes_no.v1.c",
    ]
    assert len({prompt.digest for prompt in EVERY}) == len(EVERY)
    assert [load("yes_no.v1", vote) for vote in range(6)] == [*wordings, *wordings]


def test_only_the_negated_prompt_turns_a_vote_round() -> None:
    assert [prompt.name for prompt in EVERY if prompt.inverted] == ["yes_no_negated"]


def test_the_first_token_form_asks_for_a_bare_word() -> None:
    (_, user) = load("yes_no_first.v1").render(
        [Material("m", "x")], criterion="So?", boundary="b7f3"
    )
    after = user["content"].partition("So?")[2]
    assert "one word" in after
    assert not {"{", "json", "reason"} & set(after.casefold().split())


@pytest.mark.parametrize(
    "variants_table",
    [
        "variants = 3\n",
        '[[variants]]\nuser = "x"\n',
        '[[variants]]\nid = "a"\n',
        '[[variants]]\nid = "b c"\n',
        '[[variants]]\nid = "b"\n[[variants]]\nid = "b"\n',
    ],
)
def test_a_variant_needs_an_id_of_its_own(variants_table: str) -> None:
    with pytest.raises(ConfigError, match="variants"):
        parse(GOOD + variants_table, where="x")


@pytest.mark.parametrize("base", ["3", '"x"'])
def test_extending_needs_another_prompt(base: str) -> None:
    with pytest.raises(ConfigError, match="extends"):
        parse(GOOD + f"extends = {base}\n", where="x")


def test_a_prompt_takes_the_texts_it_lacks_from_the_one_it_extends() -> None:
    text = 'name = "n"\nversion = 1\nextends = "yes_no.v1"\nuser = "$materials $criterion"\n'
    (prompt,) = parse(text, where="x")
    assert (prompt.system, prompt.user) == (
        load("yes_no.v1").system,
        "$materials $criterion",
    )
