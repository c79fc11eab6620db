"""A tool under the prefixes and suffixes that frameworks put around its name."""

from __future__ import annotations

import pytest

from judgemesh.validators._shared.trace.tool_names import same_tool, tool_matches


@pytest.mark.parametrize(
    "called",
    [
        "waive_fee", "waiveFee", "waive-fee", "WAIVE_FEE", "functions.waive_fee", "functions.waive_fee:0",
        "mcp__hotel__waive_fee", "mcp_hotel_waive_fee", "mcp_grand_hotel_waive_fee", "hotel-waive_fee",
        "HotelPlugin-waive_fee", "hotel-waiveFee", "hotel/waive_fee", "hotel:waive_fee",
    ],
)  # fmt: skip
def test_a_prefix_hides_no_tool(called: str) -> None:
    assert same_tool("waive_fee", called)
    assert tool_matches("waive_*", called)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("delete_user", "delete_user_account"),
        ("fee", "waive_fee"),
        ("only", "read-only"),
        ("info", "get_user-info"),
        ("user", "delete_user"),
    ],
)
def test_another_tool_is_another_tool(one: str, other: str) -> None:
    assert not same_tool(one, other)
