"""`judgemesh contract check`: every error with its place, key and remedy; the table; contracts tried on results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Cli, ResultOf

FAULTS: dict[str, tuple[str, str]] = {
    "unlooked code": (
        "success_criteria: {must_not_include: [WRONG_FACT]}",
        "c.yaml:2:39: success_criteria.must_not_include[0]: code WRONG_FACT: no check that guards the gate looks for",
    ),
    "unlooked code of an execution": (
        "success_criteria: {execution_result: {must_not_include: [STATE_MISMATCH]}}",
        "success_criteria.execution_result.must_not_include[0]: code STATE_MISMATCH",
    ),
    "gate on a code nobody looks for": (
        "outcome: {effects: {CITATION_NOT_FOUND: gate}}",
        "outcome.effects.CITATION_NOT_FOUND: code CITATION_NOT_FOUND: no check",
    ),
    "near miss": (
        "success_criteria: {must_not_include: [UNAUTHORISED_PAYMENT]}",
        (
            "c.yaml:2:39: success_criteria.must_not_include[0]: 'UNAUTHORISED_PAYMENT' is no failure code; "
            "did you mean UNAUTHORIZED_PAYMENT?"
        ),
    ),
    "hold code": (
        "success_criteria: {must_not_include: [evaluator_failure]}",
        "EVALUATOR_FAILURE speaks of the evaluator",
    ),
    "matcher lte": (
        "execution: {expected: [{kind: pay, parameters: {amount: {lte: 200}}}]}",
        "execution.expected[0].parameters.amount: 'lte' is no word of a matcher; did you mean 'le'?",
    ),
    "matcher regex in where": (
        "sop: {rules: [{id: r, template: absence, activity: {tool: pay, where: {to: {regex: x}}}}]}",
        "did you mean 'pattern'?",
    ),
    "matcher contains_al": (
        "sop: {permissions: {arguments: [{tool: pay, arguments: {to: {contains_al: [x]}}}]}}",
        "did you mean 'contains_all'?",
    ),
    "matcher with a stranger": (
        "tools: {expected: [{tool: pay, arguments: {n: {equals: 1, nearly: true}}}]}",
        "'nearly' is no word of a matcher; known: ",
    ),
    "mongo": (
        "execution: {expected: [{kind: pay, target: {$in: [a, b]}}]}",
        "did you mean 'one_of'?",
    ),
    "unused field": (
        "success_criteria: {must_include: [total_price]}\nfields: {total_prices: {aliases: [sum]}}",
        "c.yaml:3:10: fields.total_prices: nothing requires this field",
    ),
    "unknown metric": (
        "criteria: [{id: a, question: Is it polite?, metric: readabilty}]",
        (
            "c.yaml:2:45: criteria[0].metric: 'readabilty' is no sub-score and no score of `scoring.weighted`; "
            "did you mean 'readability'?"
        ),
    ),
    "everything allowed": (
        "state: {expected: [{path: /a, after: 1}], allowed: ['/**']}",
        "state.allowed[0]: '/**' takes in everything",
    ),
    "everything ignored": (
        "state: {expected: [{path: /a, after: 1}], ignored: ['**']}",
        "state.ignored[0]: '**' takes in everything",
    ),
    "unknown record source": (
        "execution: {source: {type: jsnl, path: r.jsonl}, expected: [{kind: a}]}",
        "execution.source.type: there is no source type 'jsnl'; did you mean 'jsonl'?",
    ),
    "columns the wrong way round": (
        "execution: {source: {type: sql, url: 'sqlite:///r.db', columns: {action: kind}}, expected: [{kind: a}]}",
        "execution.source.columns: 'action' is no field of a record (a field is followed by its column: {kind: action})",
    ),
    "match of no id": (
        "execution: {source: {type: sql, url: 'sqlite:///r.db', match: {id: run}}, expected: [{kind: a}]}",
        "execution.source.match: id: 'run' is no id (one of result_id, trace_id, task_id)",
    ),
    "unknown evidence source": (
        "evidence: {sources: [{type: csv, path: a.csv}]}",
        "evidence.sources[0].type: there is no source type 'csv'; there are: ",
    ),
    "missing file": (
        "evidence: {sources: [{type: jsonl, path: gone.jsonl}]}",
        "evidence.sources[0].path: there is no file 'gone.jsonl'",
    ),
    "missing folder": (
        "evidence: {sources: [{type: directory, path: gone}]}",
        "evidence.sources[0].path: there is no folder 'gone'",
    ),
    "bad pattern": (
        "success_criteria: {must_include: [a]}\nfields: {a: {pattern: '['}}",
        "fields.a.pattern: not a usable pattern",
    ),
    "bad schema": ("output_schema: {type: objekt}", "not a usable JSON Schema"),
    "required and forbidden": (
        "success_criteria: {must_include: [total price], must_not_include: [total_price]}",
        "'total_price' is required and forbidden",
    ),
    "forbidden and soft": (
        "success_criteria: {must_not_include: [TOOL_FAILURE]}\noutcome: {effects: {TOOL_FAILURE: soft}}",
        "TOOL_FAILURE is forbidden here, and `outcome.effects` makes it soft",
    ),
    "tool both ways": (
        "sop: {required_tools: [pay], forbidden_tools: ['pa*']}",
        "sop.required_tools[0]: 'pay' is required, and `forbidden_tools` forbids it",
    ),
    "tool not permitted": (
        "sop: {required_tools: [pay], permissions: {tools: [look]}}",
        "`permissions.tools` does not permit it",
    ),
    "unknown keyword of a schema": (
        "output_schema: {must_include: [room]}",
        (
            "c.yaml:2:17: output_schema.must_include: 'must_include' is no keyword of JSON Schema, "
            "and constrains nothing; did you mean 'required'?"
        ),
    ),
    "unknown keyword of a matcher's schema": (
        "answer: {not: {schema: {type: object, propertys: {a: {type: string}}}}}",
        "c.yaml:2:39: answer.not.schema.propertys: 'propertys' is no keyword",
    ),
    "unknown keyword of a tool's parameters": (
        "tools: {registry: [{name: pay, parameters: {amount: number}}]}",
        "tools.registry[0].parameters.amount: 'amount' is no keyword",
    ),
    "schema for everything": (
        "answer: {schema: {anyOf: [{type: string}, {}]}}",
        "answer.schema: every value fits",
    ),
    "pattern in every answer": (
        "answer: {pattern: '.*'}",
        "answer.pattern: every answer has this pattern",
    ),
    "pattern in every field": (
        "success_criteria: {must_include: [a]}\nfields: {a: {pattern: 'x*'}}",
        "fields.a.pattern: every text has this pattern",
    ),
    "pattern in every utterance": (
        "sop: {rules: [{id: r, template: existence, activity: {role: user, says: ''}}]}",
        "sop.rules[0].activity.says: every utterance has this pattern",
    ),
    "pattern in every argument": (
        "tools: {gate: true, expected: [{tool: pay, arguments: {n: {pattern: 'x*'}}}]}",
        "tools.expected[0].arguments.n.pattern: every text has this pattern",
    ),
    "pattern that no run avoids": (
        "success_criteria: {must_not_match: ['[^x]*']}",
        "success_criteria.must_not_match[0]: every text has this pattern: no run can pass",
    ),
    "no condition": (
        "state: {expected: [{path: /a, match: {}}]}",
        "state.expected[0].match: no condition: every value fits",
    ),
    "empty text": (
        "answer: {contains: ' '}",
        "answer.contains: an empty text: every text contains it",
    ),
    "empty list": (
        "answer: {contains_all: []}",
        "answer.contains_all: an empty list: every text contains all of it",
    ),
    "opposite of nothing": (
        "answer: {not: {one_of: []}}",
        "answer.not: a list in it is empty",
    ),
    "misspelt role": (
        "sop: {rules: [{id: r, template: response, first: {role: usr}, then: {role: assistant}}]}",
        "sop.rules[0].first.role: nobody has the role 'usr'; did you mean 'user'?",
    ),
    "its own partner": (
        "sop: {rules: [{id: r, template: responded_existence, first: pay, then: pay}]}",
        "sop.rules[0].then: `first` and `then` are the same",
    ),
    "no argument": (
        "sop: {permissions: {arguments: [{tool: pay, arguments: {}}]}}",
        "sop.permissions.arguments[0].arguments: no argument is named",
    ),
    "every call left out": (
        "tools: {gate: true, expected: [{tool: pay}], ignore: ['*']}",
        "tools.ignore[0]: '*' leaves out every call",
    ),
    "share that every run reaches": (
        "tools: {expected: [{tool: pay}], min_score: 0}",
        "tools.min_score: every run reaches 0",
    ),
    "empty permissions": (
        "sop: {permissions: {}}",
        "c.yaml:2:7: sop.permissions: section `sop.permissions`: the section is empty",
    ),
    "switched off": (
        "sop: {required_tools: [a]}\nvalidators: [{name: sop, enabled: false}]",
        "sop.required_tools[0]: required tool 'a': no validator 'sop' runs under this contract",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_stops_check_and_grade(cli: Cli, make: ResultOf, name: str) -> None:
    text, message = FAULTS[name]
    cli.write("c.yaml", "task_id: trip", text)
    done = cli("contract", "check", "c.yaml")
    assert done.returncode == 2
    assert message in done.stderr
    assert all(line.startswith("error: c.yaml:") for line in done.stderr.splitlines())
    cli.write("r.jsonl", make("r1"))
    graded = cli("grade", "r.jsonl", "-c", "c.yaml")
    assert graded.returncode == 2
    assert message in graded.stderr
    assert "Traceback" not in graded.stderr


NOTHING = (
    "error: c.yaml:1:1: task_id: task 'trip': the contract checks nothing, so any answer would pass; "
    "say what a result must hold, or write `validators: [completion]` to accept any answer\n"
)


def test_a_contract_that_checks_nothing_is_an_error(cli: Cli, make: ResultOf) -> None:
    cli.write("c.yaml", "task_id: trip")
    cli.write("r.jsonl", make("r1"))
    for command in (
        ("contract", "check", "c.yaml"),
        ("grade", "r.jsonl", "-c", "c.yaml"),
    ):
        done = cli(*command)
        assert done.returncode == 2
        assert done.stderr.count("error: ") == 1
        assert done.stderr.startswith(NOTHING)


def test_a_contract_that_asks_for_a_completed_run_is_used(
    cli: Cli, make: ResultOf
) -> None:
    cli.write("c.yaml", "task_id: trip", "validators: [completion]")
    cli.write("r.jsonl", make("r1"))
    assert cli("contract", "check", "c.yaml").returncode == 0
    assert cli("grade", "r.jsonl", "-c", "c.yaml").returncode == 0


WARNINGS = {
    "range": "execution: {expected: [{kind: pay, parameters: {amount: {min: 1, max: 5}}}]}",
    "unfed threshold": "validators: [completion]\nscoring: {thresholds: {methodology: 8}}",
    "every tool": "sop: {permissions: {tools: ['*']}}",
    "empty prerequisite": "sop: {prerequisites: [{tool: pay}, {tool: send, requires: {call: pay}}]}",
    "every step": "plan: {allowed: ['*']}",
    "every JSON": "output_schema: {title: Room}",
    "keyword of another type": "output_schema: {type: object, minLength: 3}",
    "unchecked format": "output_schema: {type: string, format: phone}",
    "no type": "output_schema: {required: [room]}",
    "empty range": "answer: {ge: 5, lt: 5}",
    "empty choice": "answer: {one_of: []}",
    "vacuous": "success_criteria: {execution_result: {required: true}}\nstate: {expected: []}",
}


@pytest.mark.parametrize("name", WARNINGS)
def test_a_vacuous_thing_is_a_warning(cli: Cli, name: str) -> None:
    cli.write("c.yaml", "task_id: trip", WARNINGS[name])
    done = cli("contract", "check", "c.yaml")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("warning: c.yaml:")


DATA = (
    "output_schema: {x-source: form, title: T, type: object, properties: {typ: {type: string}}}",
    "answer: {pattern: '(?s).*', contains: kettle}",
    "sop: {rules: [{id: r, template: existence, activity: {role: reviewer}}]}",
    "execution: {expected: [{kind: pay, parameters: {from: {city: Bern, content: x}}}]}",
    "execution: {expected: [{kind: pay, parameters: {row: {schema: public, table: a}}}]}",
    "execution: {expected: [{kind: pay, parameters: {row: {equals: {lte: 200}}}}]}",
    "success_criteria: {must_not_include: [wrong facts about us, internal_notes, SECRET_KEY]}",
    (
        "scoring: {weighted: {tone: {checks: [{id: a, validator: completion, weight: 0.5}]}}}\n"
        "criteria: [{id: b, question: Is it calm?, metric: tone, weight: 0.5}]"
    ),
)


@pytest.mark.parametrize("text", DATA)
def test_ordinary_data_is_no_fault(cli: Cli, text: str) -> None:
    cli.write("c.yaml", "task_id: trip", text)
    done = cli("contract", "check", "c.yaml")
    assert done.returncode == 0, done.stderr


def test_the_table_names_who_looks(cli: Cli) -> None:
    cli.write("c.yaml", "task_id: trip", "sop: {forbidden_tools: [rm]}")
    done = cli("contract", "check", "c.yaml")
    assert "sop.forbidden_tools[0]" in done.stdout
    (table,) = json.loads(cli("contract", "check", "c.yaml", "--json").stdout)["tables"]
    row = table["coverage"][-1]
    assert (row["what"], row["checks"]) == ("forbidden tool 'rm'", ["sop"])


def test_a_contract_is_tried_on_results(cli: Cli) -> None:
    cli.write(
        "c.yaml",
        "task_id: shop",
        "success_criteria: {must_include: [refund_id, amuont]}",
        "sop: {forbidden_tools: [delete_usr], required_tools: [get_order]}",
        "execution: {expected: [{kind: refnd, parameters: {sum: 3}}]}",
        "state: {expected: [{path: /orders/17/state, after: paid}]}",
    )
    trace = [{"tool_name": "get_order"}, {"tool_name": "delete_user"}]
    result = {
        "task_id": "shop",
        "output": {"final_answer": "Refund id R-1.", "outputs": {"amount": 3}},
        "records": [{"kind": "refund", "parameters": {"sum": 3}}],
        "state": {
            "diff": [
                {
                    "path": "/orders/17/status",
                    "op": "replace",
                    "before": "open",
                    "after": "paid",
                }
            ]
        },
    }
    cli.write(
        "r.jsonl",
        *({"result_id": f"r{n}", "trace": trace, **result} for n in range(3)),
        {"result_id": "r3", "trace": "gone.json", **result},
    )
    done = cli("contract", "check", "c.yaml", "--results", "r.jsonl", "--quiet")
    assert done.returncode == 0
    assert (
        "shop: tried on 4 results, 3 traces read, 1 trace could not be read"
        in done.stdout
    )
    for line in (
        "forbidden tool 'delete_usr' never occurs in 3 traces; nearest: delete_user",
        "field 'amuont' never occurs in 4 results; nearest: amount",
        "kind 'refnd' never occurs in 4 results; nearest: refund",
        "path '/orders/17/state' never occurs in 4 results; nearest: /orders/17/status",
    ):
        assert line in done.stderr
    assert "get_order" not in done.stderr
    assert "refund_id" not in done.stderr
