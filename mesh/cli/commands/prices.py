"""The command `judgemesh prices`: print what models cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from judgemesh.mesh.cli.options import JsonOption, PricesOption

if TYPE_CHECKING:
    from judgemesh.contracts.usage import PriceSnapshot


def prices(
    *,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="MODEL", help="Only this model, as calls name it."
        ),
    ] = None,
    prices_file: PricesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the price book: per million tokens, with the version that bills are explained by.

    With --model, the price that a call of that model is billed with; exit code 1 when there is none, for then its
    cost is unknown.

    \b
    Examples:
      judgemesh prices
      judgemesh prices --model openai/gpt-4.1-mini --json
      judgemesh prices --prices costs.yaml
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import say, show, show_json
    from judgemesh.mesh.pricing.prices import PriceBook

    book = PriceBook.bundled(user_file=prices_file)
    entries = dict(book.entries())
    if model is not None:
        price = book.find(model)
        entries = {} if price is None else {model: price}
    if as_json:
        show_json(
            {"prices": [_json(name, price) for name, price in sorted(entries.items())]}
        )
    elif entries:
        from judgemesh.mesh.reporting.setup.prices import prices_table

        show(prices_table(entries))
    if model is not None and not entries:
        say(
            f"no price is known for {model!r}: its cost is unknown; give a price with --prices FILE"
        )
        raise typer.Exit(1)


def _json(name: str, price: PriceSnapshot) -> dict[str, object]:
    from judgemesh.mesh.tracing.steps.values import price_fields

    return {**price_fields(price), "model_name": name}
