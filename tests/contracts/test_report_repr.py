"""A report in a notebook and in a traceback: short, and no text in it is markup."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.report import Gate, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Fail


def _report(text: str, verdicts: int = 1) -> Report:
    fail = Fail(check=text, codes=(FailureCode.WRONG_FACT,), diagnostic=text)
    row = ValidatorVerdict(
        validator_name=text,
        validator_version="1",
        validator_type="rule",
        verdict=fail,
        gating=True,
    )
    return Report(
        result_id=text,
        task_id=text,
        eval_contract_version=None,
        evaluator_version="0",
        gate=Gate.FAIL,
        verdicts=(row,) * verdicts,
        primary_failure_reason_code=FailureCode.WRONG_FACT,
        explanation=text,
    )


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not attrs


@given(st.text() | st.just("<script>x</script>\x1b[2J\u202e"))
def test_no_text_is_markup(text: str) -> None:
    html = _report(text)._repr_html_()
    parser = _Tags()
    parser.feed(html)

    assert parser.tags <= {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
    assert "\x1b" not in html
    assert "\u202e" not in html


def test_many_verdicts_are_cut_and_that_is_said() -> None:
    html = _report("a", 60)._repr_html_()

    assert html.count("<tr>") == 51
    assert "and 10 more verdicts" in html


def test_a_repr_is_one_short_line() -> None:
    assert repr(_report("r1", 3)) == "<Report 'r1': fail WRONG_FACT, 3 verdicts>"
