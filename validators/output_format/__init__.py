"""The structure of the output, checked against the contract's JSON Schema."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import Verdict

_CODES: Final = (
    FailureCode.OUTPUT_FORMAT_INVALID,
    FailureCode.EMPTY_OR_INVALID_OUTPUT,
)


@validator(
    name="output_format",
    version="1",
    takes_args=False,
    codes=_CODES,
    applies=lambda contract: contract.output_schema is not None,
    covers=lambda contract: () if contract.output_schema is None else _CODES,
    pure=True,
    needs_answer=True,
)
def output_format(case: Case) -> Verdict:
    """The outputs fit the contract's `output_schema`.

    The named outputs are checked against the schema; without any, the one JSON value in the final answer: alone, in a
    code fence, or in prose, without duplicate keys, NaN or infinity. An empty object or array is a value that the
    schema decides about. `format` in the schema is enforced. A schema that cannot be compiled (it points to another
    file or address, say) is a fault of the contract: the error goes to the engine and is never the agent's failure.
    """
    # Schemas are heavy to import, and most contracts have none.
    from judgemesh.validators.output_format.check import check_output

    return check_output(case)
