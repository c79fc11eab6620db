"""Draw the plots of the documentation as SVG that takes its text colour from the page: docs/generated/plots/*.svg.

python docs/plots/draw.py     with docs and benchmarks on PYTHONPATH; `make site` calls it

Colour and size are decided here, once; `figures` says what a plot shows, `data` computes it.
"""

from __future__ import annotations

import html
import re
from io import StringIO
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from plots.figures import PLOTS, Plot

FOLDER = Path(__file__).resolve().parents[1] / "generated/plots"

INK = "#010203"
"""Stands for the text colour of the page; replaced in the written file."""

SETTINGS = {
    "svg.fonttype": "none",  # text stays text: it can be selected, searched and read aloud
    "svg.hashsalt": "judgemesh",  # the same ids in every build
    "font.family": "sans-serif",
    "font.size": 11,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    # At least 3 to 1 against white and against the dark background of the site.
    "axes.prop_cycle": mpl.cycler(color=["#1f8a70", "#c8553d", "#4a7fc1", "#9a6fb0"]),
}


def draw(name: str, plot: Plot) -> str:
    """A figure with its caption, as a piece of HTML."""
    with mpl.rc_context(SETTINGS):
        figure = plot.figure()
        written = StringIO()
        figure.savefig(
            written,
            format="svg",
            metadata={"Date": None, "Creator": None},
            bbox_inches="tight",
        )
        plt.close(figure)
    svg = written.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    # Pictures of one page share its names: those of each picture begin with its own.
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    title, alt = html.escape(plot.title), html.escape(plot.alt)
    svg = svg.replace(
        "<svg ", f'<svg role="img" aria-labelledby="{name}-title {name}-alt" ', 1
    )
    start = svg.index(">") + 1
    named = (
        f'<title id="{name}-title">{title}</title><desc id="{name}-alt">{alt}</desc>'
    )
    return (
        f'<figure class="picture">{svg[:start]}{named}{svg[start:]}'
        f"<figcaption>{title}</figcaption></figure>\n"
    )


def main() -> None:
    """Write every plot."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, plot in PLOTS.items():
        (FOLDER / f"{name}.html").write_text(draw(name, plot), encoding="utf-8")


if __name__ == "__main__":
    main()
