"""Every worked number of articles 000, 003 and 004 that belongs to a metric; errata with the corrected value."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics import binary_weighted as bw
from judgemesh.mesh.metrics.asr import (
    CREDITS,
    SCORES,
    Task,
    agent_success,
    contribution,
    cost_spread,
    penalty,
)
from judgemesh.mesh.metrics.comparison import ComparisonVerdict, paired
from judgemesh.mesh.metrics.intervals import DRAWS, LEVEL
from judgemesh.mesh.metrics.shares import newcombe, share_changes
from judgemesh.mesh.metrics.triangle import (
    WORKLOADS,
    Axis,
    Rollback,
    label,
    rollback,
    t_score,
    tool_selection,
    warnings,
)
from judgemesh.mesh.metrics.weekly import cost_figure, weekly, weekly_text

D = Decimal
Class = OutcomeClass


@pytest.mark.parametrize(
    ("cost", "ceiling", "expected"),
    [
        ("0.10", "0.10", "0"),
        ("0.04", "0.10", "0"),
        ("0.15", "0.10", "0.5"),
        ("0.20", "0.10", "1"),
        ("0.50", "0.10", "1"),
    ],
)
def test_the_cost_penalty(cost: str, ceiling: str, expected: str) -> None:
    assert penalty(D(cost), D(ceiling)) == D(expected)


def test_no_ceiling_and_no_known_cost_mean_no_penalty() -> None:
    assert penalty(D(9), None) == penalty(None, D(1)) == 0
    with pytest.raises(ValueError, match="must be above 0"):
        penalty(D(1), D(0))
    with pytest.raises(ValueError, match="must be 0 or more"):
        penalty(D(-1), D(1))


WEEK = {
    Class.COMPLETE: 58,
    Class.PARTIAL_PLUS: 12,
    Class.PARTIAL_MINUS: 8,
    Class.HALLUCINATED: 4,
    Class.ABANDONED: 18,
}


def test_the_articles_class_table() -> None:
    """58/12/8/4/18 per cent, all within budget: 0.58 + 0.4 x 0.12 = 0.628; the article's headline is 0.62."""
    found = agent_success(
        [Task(outcome) for outcome, count in WEEK.items() for _ in range(count)], seed=1
    )
    assert found.asr == pytest.approx(0.628)
    assert found.asr_unfloored == found.asr
    assert found.shares[Class.ABANDONED] == 0.18
    assert found.ci.low < found.asr < found.ci.high


def test_the_articles_headline_with_8_percent_above_the_ceiling() -> None:
    """Where these 8 % are complete tasks a tenth over budget, 0.628 - 0.08 x 0.1 is the article's 0.62."""
    tasks = [Task(outcome) for outcome, count in WEEK.items() for _ in range(count)]
    found = agent_success(
        [*([Task(Class.COMPLETE, D("0.11"), D("0.10"))] * 8), *tasks[8:]], seed=1
    )
    assert found.asr == pytest.approx(0.62)


def test_the_ends_of_the_scale() -> None:
    """In budget and perfect is 100 %; parts of answers at 2 % over budget are 38 %; five times over budget is 0."""
    within, over, dear = D("0.09"), D("0.102"), D("0.50")
    for task, rate in (
        (Task(Class.COMPLETE, within, D("0.10")), 1.0),
        (Task(Class.PARTIAL_PLUS, over, D("0.10")), 0.38),
        (Task(Class.COMPLETE, dear, D("0.10")), 0.0),
    ):
        assert agent_success([task] * 20, seed=1).asr == pytest.approx(rate)


def test_erratum_0_04_is_the_interval_of_500_traces_and_not_of_1000() -> None:
    """000 calls 0.62 +- 0.04 typical for 1,000 traces; its own class table gives +- 0.028 there."""
    for scale, half_width in ((10, 0.028), (5, 0.040)):
        tasks = [
            Task(outcome)
            for outcome, count in WEEK.items()
            for _ in range(count * scale)
        ]
        assert agent_success(tasks, seed=1).ci.half_width == pytest.approx(
            half_width, abs=0.0015
        )
        assert agent_success(tasks, seed=1).ci_percentile.half_width == pytest.approx(
            half_width, abs=0.0015
        )
    assert (DRAWS, LEVEL) == (1_000, 0.95)


def test_a_difference_of_0_6_points_is_none_and_one_of_4_points_beyond_the_intervals_is() -> (
    None
):
    before = {f"t{number}": [float(number % 100 < 62)] for number in range(1000)}
    flips = {
        **before,
        **{
            f"t{number}": [1.0 - before[f"t{number}"][0]]
            for number in range(0, 1000, 17)
        },
    }
    small = paired(before, flips)
    assert abs(small.delta) < 0.02
    assert small.change is ComparisonVerdict.NO_EVIDENCE
    for n, apart in ((1000, False), (10_000, True)):
        assert (newcombe(62 * n // 100, n, 58 * n // 100, n).high < 0) is apart


@pytest.mark.parametrize(("after", "flagged"), [(60, False), (61, True)])
def test_a_class_is_flagged_above_two_points(after: int, flagged: bool) -> None:
    found = share_changes(
        {"complete": 58, "rest": 42}, {"complete": after, "rest": 100 - after}
    )
    assert found["complete"].large is flagged


def test_the_weekly_template() -> None:
    """P50 0.31, P90 0.84, P99 2.10, 8 % above the ceiling; 58/12/8/4/18; and the mean of four weeks."""
    costs = (
        ["0.20"] * 499
        + ["0.31"] * 2
        + ["0.60"] * 397
        + ["0.84"] * 4
        + ["0.90"] * 18
        + ["1.50"] * 68
        + ["2.10"] * 12
    )
    outcomes = [outcome for outcome, count in WEEK.items() for _ in range(10 * count)]
    monday = date(2026, 1, 5)
    this = [
        (monday, Task(one, D(cost), D(1)))
        for one, cost in zip(outcomes, costs, strict=True)
    ]
    earlier = [
        (
            monday - timedelta(weeks=ago),
            Task(Class.COMPLETE if place < good else Class.ABANDONED),
        )
        for ago, good in ((1, 50), (2, 60), (3, 70), (4, 0))
        for place in range(100)
    ]
    weeks = weekly(earlier + this, seed=1)
    text = weekly_text(weeks[-1])
    assert weeks[-1].success.asr == pytest.approx(0.628)
    assert weeks[-1].rolling == pytest.approx((0.628 + 0.5 + 0.6 + 0.7) / 4)
    assert "ASR 0.63 ± 0.03 (95% CI)" in text
    assert "complete 58% (+8?)" in text
    assert "abandoned 18% (-32!)" in text
    assert "partial+ 12% (+12!)" in text
    assert "cost P50 0.31  P90 0.84  P99 2.10 USD  8% above ceiling" in text
    assert "rolling 4-week mean 0.61" in text


def test_the_rolling_mean_does_not_reach_over_a_gap() -> None:
    days = [date(2026, 1, 5), date(2026, 1, 12), date(2026, 3, 2)]
    tasks = [
        (day, Task(Class.COMPLETE if place else Class.ABANDONED))
        for place, day in enumerate(days)
    ]
    assert [week.rolling for week in weekly(tasks, seed=1)] == [0.0, 0.5, 1.0]
    halved = {**CREDITS, Class.COMPLETE: D("0.5")}
    assert [week.success.asr for week in weekly(tasks, seed=1, credit=halved)] == [
        0.0,
        0.5,
        0.5,
    ]


@given(st.lists(st.sampled_from(list(Class)), min_size=1))
def test_within_budget_the_rate_is_at_least_the_strict_pass_rate(
    labels: list[Class],
) -> None:
    found = agent_success([Task(one) for one in labels], seed=1, draws=10)
    assert found.asr >= labels.count(Class.COMPLETE) / len(labels) - 1e-12


def test_erratum_above_budget_the_rate_can_be_below_the_strict_pass_rate() -> None:
    """000 says ASR > pass-rate by design; the cost penalty breaks that, as it is meant to."""
    assert (
        agent_success([Task(Class.COMPLETE, D("0.15"), D("0.10"))] * 4, seed=1).asr
        == 0.5
    )


def test_erratum_the_printed_sum_can_fall_below_zero_and_the_rate_cannot() -> None:
    """000 sums the penalties of failed tasks too, while its text promises [0, 1] and 'contribute 0'."""
    tasks = [
        Task(Class.ABANDONED, D("0.30"), D("0.10")),
        Task(Class.COMPLETE, D("0.50"), D("0.10")),
    ]
    found = agent_success(tasks, seed=1)
    assert found.asr == 0.0
    assert found.asr_unfloored == -0.5


def test_undecided_tasks_bound_the_rate_and_do_not_enter_it() -> None:
    found = agent_success(
        [Task(Class.COMPLETE), Task(Class.PARTIAL_MINUS), Task(None), Task(None)],
        seed=1,
    )
    assert (found.asr, found.bounds, found.decided) == (0.5, (0.25, 0.75), 2)
    with pytest.raises(ValueError, match="no task is decided"):
        agent_success([Task(None)], seed=1)


def test_evaluation_scores_map_to_classes() -> None:
    assert [SCORES[score] for score in (5, 4)] == [Class.COMPLETE, Class.PARTIAL_PLUS]
    assert {CREDITS[SCORES[score]] for score in (1, 2, 3)} == {D(0)}


def test_cost_spread_and_cost_per_success() -> None:
    tasks = [Task(Class.COMPLETE, D(cost) / 10, D("0.8")) for cost in range(1, 11)]
    spread = cost_spread(tasks)
    assert spread is not None
    assert (spread.p50, spread.p90, spread.p99) == pytest.approx((0.55, 0.91, 0.991))
    assert spread.over_ceiling == 0.2
    found = agent_success([*tasks, Task(Class.ABANDONED, D(1), D("0.8"))], seed=1)
    assert found.cost_per_success == pytest.approx(6.5 / 10)
    assert (
        agent_success([*tasks, Task(Class.ABANDONED)], seed=1).cost_per_success is None
    )


def test_several_runs_of_one_task_widen_the_interval() -> None:
    ends = [Class.COMPLETE if place % 4 else Class.ABANDONED for place in range(40)]
    once = agent_success(
        [Task(one, name=f"t{place}") for place, one in enumerate(ends)], seed=1
    )
    thrice = agent_success(
        [
            Task(one, name=f"t{place}")
            for place, one in enumerate(ends)
            for _ in range(3)
        ],
        seed=1,
    )
    unnamed = agent_success([Task(one) for one in ends for _ in range(3)], seed=1)
    assert once.ci == agent_success([Task(one) for one in ends], seed=1).ci
    assert thrice.asr == once.asr == unnamed.asr
    for interval in ("ci", "ci_percentile"):
        assert getattr(thrice, interval).half_width == pytest.approx(
            getattr(once, interval).half_width, rel=0.1
        )
        assert (
            getattr(unnamed, interval).half_width
            < 0.7 * getattr(once, interval).half_width
        )


outcomes = st.sampled_from(list(Class))
amounts = st.none() | st.decimals(0, 10, places=3)


@given(outcomes, amounts, st.none() | st.decimals(D("0.001"), 10, places=3))
def test_a_contribution_lies_between_nothing_and_its_credit(
    outcome: Class, cost: Decimal | None, ceiling: Decimal | None
) -> None:
    assert 0 <= contribution(outcome, cost, ceiling) <= CREDITS[outcome]


def test_binary_scores_are_exact() -> None:
    """.25 + .25 + .10 + .20 is .80 in decimals and .7999... or .8000...1 in floats."""
    weights = bw.preset("completion")
    checks = dict.fromkeys(weights, True) | {"clear_explanation": False}
    found = bw.score(checks, weights)
    assert found == bw.Score(Fraction(4, 5), Fraction(4, 5))
    assert (
        bw.classify(found, goal_confirmed=True, failed_state=False)
        is bw.WeightedOutcome.SUCCESSFUL_COMPLETION
    )


def test_erratum_the_recovery_weights_sum_to_095() -> None:
    with pytest.raises(
        ValueError, match=r"must sum to 1, these sum to 0.95; give `normalise: true`"
    ):
        bw.score(dict.fromkeys(bw.preset("recovery"), True), bw.preset("recovery"))
    whole = bw.score(
        dict.fromkeys(bw.preset("recovery"), True),
        bw.preset("recovery"),
        normalise=True,
    )
    assert whole.low == 1
    for name in ("completion", "clarity"):
        assert sum(bw.preset(name).values()) == 1


@pytest.mark.parametrize(
    ("value", "confirmed", "failed", "expected"),
    [
        ("0.75", True, False, bw.WeightedOutcome.SUCCESSFUL_COMPLETION),
        ("0.74", True, False, bw.WeightedOutcome.GRACEFUL_FAILURE),
        ("1.00", False, False, bw.WeightedOutcome.GRACEFUL_FAILURE),
        ("0.50", False, True, bw.WeightedOutcome.GRACEFUL_FAILURE),
        ("0.49", False, True, bw.WeightedOutcome.PARTIAL_FAILURE),
        ("0", False, True, bw.WeightedOutcome.HARD_FAILURE),
        ("0", False, False, bw.WeightedOutcome.PARTIAL_FAILURE),
    ],
)
def test_the_classes_of_article_004(
    value: str, confirmed: bool, failed: bool, expected: bw.WeightedOutcome
) -> None:
    found = bw.Score(Fraction(value), Fraction(value))
    assert bw.classify(found, goal_confirmed=confirmed, failed_state=failed) is expected


def test_an_abstention_makes_an_interval_and_a_class_only_where_all_of_it_lies_in_one() -> (
    None
):
    weights = {"a": D("0.5"), "b": D("0.3"), "c": D("0.2")}
    wide = bw.score({"a": True, "b": None, "c": False}, weights)
    assert (wide.low, wide.high, wide.exact) == (Fraction(1, 2), Fraction(4, 5), False)
    assert bw.classify(wide, goal_confirmed=True, failed_state=False) is None
    assert (
        bw.classify(wide, goal_confirmed=False, failed_state=False)
        is bw.WeightedOutcome.GRACEFUL_FAILURE
    )
    assert (
        bw.classify(wide, goal_confirmed=True, failed_state=False, hard_failures=[None])
        is None
    )
    assert (
        bw.classify(
            wide, goal_confirmed=True, failed_state=False, hard_failures=[None, True]
        )
        is bw.WeightedOutcome.HARD_FAILURE
    )


def test_completion_rate_and_bands() -> None:
    def exact(*values: str) -> list[bw.Score]:
        return [bw.Score(Fraction(value), Fraction(value)) for value in values]

    assert bw.band(bw.completion_rate(exact("0.85"))) == "production ready"
    assert (
        bw.band(bw.completion_rate(exact("0.70", "0.98")))
        == "usable but needs improvement"
    )
    assert bw.band(bw.completion_rate(exact("0.6999"))) == "not production ready"
    assert bw.band(bw.Score(Fraction(1, 2), Fraction(9, 10))) is None
    with pytest.raises(ValueError, match="no completion rate"):
        bw.completion_rate([])


def test_criteria_that_tell_nothing_apart_are_named() -> None:
    runs: list[dict[str, bool | None]] = [
        {"a": True, "b": False, "c": True, "d": None},
        {"a": True, "b": False, "c": False},
    ]
    found = bw.criterion_rates(runs)
    assert [(one.name, one.rate, one.warning) for one in found] == [
        ("b", 0.0, "always false"),
        ("c", 0.5, None),
        ("a", 1.0, "always true"),
    ]


def test_how_often_each_criterion_and_each_class_occurs() -> None:
    """004: participants right in 65 of 100 runs, the explanation in 92; 78 % succeed, 15 % fail well, 7 % worse."""
    runs: list[dict[str, bool | None]] = [
        {"clear_explanation": place < 92, "correct_participants": place < 65}
        for place in range(100)
    ]
    rates = [(one.name, one.rate) for one in bw.criterion_rates(runs)]
    assert rates == [("correct_participants", 0.65), ("clear_explanation", 0.92)]
    ends = [bw.WeightedOutcome.SUCCESSFUL_COMPLETION] * 78 + [
        bw.WeightedOutcome.GRACEFUL_FAILURE
    ] * 15
    ends += [bw.WeightedOutcome.PARTIAL_FAILURE] * 4 + [
        bw.WeightedOutcome.HARD_FAILURE
    ] * 3
    found = bw.breakdown([*ends, None, None])
    assert list(found.shares.values()) == [0.78, 0.15, 0.04, 0.03]
    assert (found.decided, found.undecided) == (100, 2)
    with pytest.raises(ValueError, match="no run has a class"):
        bw.breakdown([None])


def axes(tsa: str, pq: str, ra: str) -> dict[Axis, Fraction]:
    return dict(zip(Axis, map(Fraction, (tsa, pq, ra)), strict=True))


def test_the_worked_example_of_article_003() -> None:
    assert tool_selection(9, 12) == Fraction("7.5")
    assert tool_selection(17, 20) == Fraction("8.5")  # "a TSA of 8.5 means 85 %"
    assert tool_selection(6, 10) == 6  # "TSA 6.0: 40 % of its tool calls" are wrong
    assert rollback([10, 7, 5]) == Fraction(
        22, 3
    )  # a person's 5, which the rubric 10/7/3/0 does not have
    found = t_score(
        {
            Axis.TOOL_SELECTION: 7.5,
            Axis.PLAN_QUALITY: D("3.75"),
            Axis.ROLLBACK: rollback([10, 7, 5]),
        }
    )
    assert found is not None
    assert found.value == pytest.approx(5.60, abs=0.005)
    assert (found.label, found.fix_first) == ("Staging-Only", Axis.PLAN_QUALITY)


def test_errata_of_article_003() -> None:
    """The article prints 4.9 and 7.0, and a numerator of 3 that scores its own read-only preset 11.5 of 10."""
    first = t_score(axes("9", "9", "2"))
    raised = t_score({**axes("7.5", "7.5", "1"), Axis.ROLLBACK: rollback([10, 7, 5])})
    assert first is not None
    assert raised is not None
    assert first.value == pytest.approx(4.66, abs=0.005)
    # 7.4548; with each term rounded to three digits, as the article does, 7.46.
    assert raised.value == pytest.approx(7.4548, abs=0.0001)
    assert 3 / float(
        sum(WORKLOADS["read_only_research"].values()) / 10
    ) == pytest.approx(11.5, abs=0.05)
    for weights in WORKLOADS.values():
        perfect = t_score(axes("10", "10", "10"), weights)
        assert perfect is not None
        assert perfect.value == 10


def test_the_weights_of_the_workloads() -> None:
    """The table of 003 in its order: tool selection, plan quality, rollback."""
    assert {
        name: [str(one) for one in weights.values()]
        for name, weights in WORKLOADS.items()
    } == {
        "default": ["1.2", "1.0", "0.8"],
        "read_only_research": ["1.5", "0.8", "0.3"],
        "database_migration": ["1.0", "1.2", "2.0"],
        "api_orchestration": ["1.5", "1.0", "1.5"],
        "code_generation": ["1.0", "1.5", "0.8"],
        "infrastructure": ["1.1", "1.3", "2.0"],
    }


def test_an_agent_that_cleans_up_in_its_last_message_only_stays_below_7() -> None:
    """003: 0 on the late injection; and 'below 7.0, nothing else matters until it is fixed'."""
    late = rollback([Rollback.REVERSED, Rollback.REVERSED, Rollback.SILENT])
    assert float(late) == pytest.approx(6.67, abs=0.005)
    assert late < 7


def test_rollback_rubric() -> None:
    assert float(
        rollback([Rollback.REVERSED, Rollback.CLEAR, Rollback.SILENT])
    ) == pytest.approx(5.7, abs=0.04)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("10", "Production-Ready"),
        ("9", "Production-Ready"),
        ("8.95", "Supervised Production"),
        ("6.99", "Staging-Only"),
        ("3", "Prototype"),
        ("0", "Unsafe"),
    ],
)
def test_every_score_has_a_label(value: str, expected: str) -> None:
    assert label(D(value)) == expected


def test_zero_and_missing_axes() -> None:
    zero = t_score(axes("10", "10", "0"))
    assert zero is not None
    assert (zero.value, zero.label, zero.fix_first) == (0.0, "Unsafe", Axis.ROLLBACK)
    assert t_score({Axis.TOOL_SELECTION: 9.0, Axis.ROLLBACK: 9.0}) is None
    with pytest.raises(ValueError, match="every weight must be above 0"):
        t_score(axes("1", "1", "1"), {**WORKLOADS["default"], Axis.ROLLBACK: D(0)})


points = st.fractions(0, 10, max_denominator=100)


@given(points, points, points, st.sampled_from(sorted(WORKLOADS)))
def test_the_composite_lies_between_its_worst_and_best_axis(
    tsa: Fraction, pq: Fraction, ra: Fraction, workload: str
) -> None:
    found = t_score(dict(zip(Axis, (tsa, pq, ra), strict=True)), WORKLOADS[workload])
    assert found is not None
    assert (
        float(min(tsa, pq, ra)) - 1e-9 <= found.value <= float(max(tsa, pq, ra)) + 1e-9
    )


def test_small_suites_warn() -> None:
    assert len(warnings(49, 9)) == 2
    assert warnings(50, 10) == []


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (0.0, "0.00"),
        (0.31, "0.31"),
        (2.1, "2.10"),
        (0.0249, "0.0249"),
        (0.00012345, "0.000123"),
    ],
)
def test_a_cost_below_a_cent_is_not_rounded_away(cost: float, shown: str) -> None:
    assert cost_figure(cost) == shown
