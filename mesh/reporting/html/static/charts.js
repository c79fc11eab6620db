"use strict";
// Draws every `figure.chart` from the JSON beside it, with Observable Plot. Colours are variables of page.css, so that
// a chart follows the colour scheme and the printer without being drawn again.

const charts = (() => {
  const ROW_PX = 30;
  const GAP_PX = 12;
  const FONT_PX = 13;
  const pen = document.createElement("canvas").getContext("2d");

  const colour = (row) => `var(--c-${row.group ?? "plain"})`;

  function pixels(text) {
    pen.font = `${FONT_PX}px ${getComputedStyle(document.body).fontFamily}`;
    return pen.measureText(text).width;
  }

  // The text, or as much of its beginning as `room` pixels hold.
  function fitted(text, room) {
    if (pixels(text) <= room) return text;
    let end = text.length;
    while (end > 1 && pixels(`${text.slice(0, end)}…`) > room) end -= 1;
    return `${text.slice(0, end)}…`;
  }

  // The names of rows left of a chart, in at most this share of its width.
  function names(rows, width, share) {
    const room = Math.min(Math.max(...rows.map((row) => pixels(row.name))), width * share - GAP_PX);
    return {
      marginLeft: Math.ceil(room) + GAP_PX,
      y: {domain: rows.map((row) => row.name), label: null, tickSize: 0, tickFormat: (name) => fitted(name, room)},
    };
  }

  // bars: {rows: [{name, value, text, group?, href?}]}, from the top.
  function bars({rows}, width) {
    const {marginLeft, y} = names(rows, width, 0.45);
    return {
      height: rows.length * ROW_PX + 4,
      marginLeft,
      marginRight: 86,
      marginTop: 2,
      marginBottom: 2,
      x: {axis: null, domain: [0, Math.max(...rows.map((row) => row.value), 1e-9)]},
      y: {...y, padding: 0.32},
      marks: [
        Plot.barX(rows, {x: "value", y: "name", fill: colour, href: "href", rx: 3, title: (row) => `${row.name}: ${row.text}`}),
        Plot.text(rows, {x: "value", y: "name", text: "text", textAnchor: "start", dx: 7, fill: "var(--text)"}),
      ],
    };
  }

  // stack: {rows: [{name, value, group}]}: the parts of one whole, from the left.
  function stack({rows}, width) {
    const total = rows.reduce((sum, row) => sum + row.value, 0) || 1;
    const wide = (row) => (row.value / total) * width > 52;
    return {
      height: 40,
      margin: 0,
      x: {axis: null, domain: [0, total]},
      marks: [
        Plot.barX(rows, Plot.stackX({x: "value", fill: colour, insetRight: 1, href: "href",
          title: (row) => `${row.name}: ${row.value} of ${total}`})),
        Plot.text(rows, Plot.stackX({x: "value", filter: wide, fill: "var(--on-bar)", fontWeight: 600,
          text: (row) => `${((100 * row.value) / total).toFixed(row.value / total < 0.1 ? 1 : 0)}%`})),
      ],
    };
  }

  // histogram: {values: [number], unit, marks: [{value, text}]}.
  function histogram({values, unit, marks = []}) {
    return {
      height: 202,
      marginTop: 24,
      marginLeft: 44,
      marginBottom: 42,
      x: {label: unit, labelOffset: 38, ticks: 5},
      y: {label: "results", grid: true, ticks: 4, tickFormat: "~s"},
      marks: [
        Plot.rectY(values, Plot.binX({y: "count"}, {fill: "var(--c-plain)", inset: 0.5, thresholds: 30})),
        Plot.ruleX(marks, {x: "value", stroke: "var(--text)", strokeDasharray: "3,3"}),
        Plot.text(marks, {x: "value", text: "text", frameAnchor: "top", dy: -12, fill: "var(--text)"}),
        Plot.ruleY([0], {stroke: "var(--line)"}),
      ],
    };
  }

  // intervals: {rows: [{name, low, value, high, group?}], unit}: each a point between its bounds.
  function intervals({rows, unit = null, domain}, width) {
    const named = rows.some((row) => row.name);
    const {marginLeft, y} = names(rows, width, 0.45);
    return {
      height: rows.length * (named ? ROW_PX : 20) + (unit ? 40 : 30),
      marginTop: 4,
      marginBottom: unit ? 36 : 22,
      marginLeft: named ? marginLeft : 14,
      marginRight: 14,
      x: {label: unit, grid: true, ticks: 5, ...(domain ? {domain} : {})},
      y,
      marks: [
        Plot.ruleY(rows, {y: "name", x1: "low", x2: "high", stroke: colour, strokeWidth: 3}),
        Plot.tickX(rows, {y: "name", x: "low", stroke: colour, inset: 4, strokeWidth: 2}),
        Plot.tickX(rows, {y: "name", x: "high", stroke: colour, inset: 4, strokeWidth: 2}),
        Plot.dot(rows, {y: "name", x: "value", fill: colour, r: 5, stroke: "var(--surface)",
          title: (row) => `${row.name}: ${row.value} (${row.low} to ${row.high})`}),
      ],
    };
  }

  // timeline: {rows: [{name, start, end, group, text, marked?, href?}], unit}: steps of a run, from the top.
  function timeline({rows, unit = "seconds"}, width) {
    const end = Math.max(...rows.map((row) => row.end), 1e-9);
    const least = end / 250; // a step without a duration stays visible
    const {marginLeft, y} = names(rows, width, 0.4);
    return {
      height: rows.length * 22 + 40,
      marginLeft,
      marginRight: 90,
      x: {label: unit, domain: [0, end], grid: true, ticks: 5},
      y: {...y, padding: 0.25},
      marks: [
        Plot.barX(rows, {filter: "marked", x1: 0, x2: end, y: "name", fill: "var(--marked)", insetTop: -3, insetBottom: -3}),
        Plot.barX(rows, {x1: "start", x2: (row) => Math.max(row.end, row.start + least), y: "name", fill: colour,
          href: "href", rx: 2, title: (row) => `${row.name}: ${row.text}`}),
        Plot.text(rows, {x: () => end, y: "name", text: "text", textAnchor: "start", dx: 8, fill: "var(--text)"}),
      ],
    };
  }

  // lines: {rows: [{x, y, group}], x, y}: series over time; x as ISO text or a number.
  function lines({rows, x = null, y = null, time = false, diagonal = false}) {
    const at = (row) => (time ? new Date(row.x) : row.x);
    return {
      height: 240,
      marginLeft: 52,
      x: {label: x, ...(time ? {type: "utc"} : {}), ticks: 6},
      y: {label: y, grid: true, zero: true, ticks: 5},
      marks: [
        ...(diagonal ? [Plot.line([[0, 0], [1, 1]], {stroke: "var(--line)", strokeDasharray: "4,4"})] : []),
        Plot.lineY(rows, {x: at, y: "y", z: "group", stroke: colour, strokeWidth: 2}),
        Plot.dot(rows, {x: at, y: "y", fill: colour, r: 3, title: (row) => `${row.text ?? row.y}`}),
      ],
    };
  }

  const KINDS = {bars, stack, histogram, intervals, timeline, lines};

  // A picture with a name; where its bars are links, a group of links with names.
  function describe(svg, label) {
    svg.querySelectorAll("[aria-label]").forEach((element) => element.removeAttribute("aria-label"));
    const links = svg.querySelectorAll("a");
    links.forEach((link) => link.setAttribute("aria-label", link.textContent));
    svg.setAttribute("role", links.length ? "group" : "img");
    svg.setAttribute("aria-label", label);
  }

  function draw(figure) {
    const data = JSON.parse(figure.querySelector("script").textContent);
    const plot = figure.querySelector(".plot");
    const width = Math.floor(plot.getBoundingClientRect().width);
    if (width === 0 || plot.dataset.width === String(width)) return;
    const svg = Plot.plot({
      ...KINDS[figure.dataset.kind](data, width),
      width,
      style: {background: "none", overflow: "visible", fontSize: `${FONT_PX}px`, fontFamily: "inherit"},
    });
    // The rules of this element are in page.css: the policy of a page allows no style that it does not name.
    svg.querySelectorAll("style").forEach((style) => style.remove());
    describe(svg, figure.dataset.label);
    plot.dataset.width = String(width);
    plot.replaceChildren(svg);
  }

  const watched = new ResizeObserver((entries) => entries.forEach((entry) => draw(entry.target.parentElement)));

  // Draws what is in `root` now, and again whenever the width of a figure changes.
  function show(root) {
    for (const figure of root.querySelectorAll("figure.chart")) {
      draw(figure);
      watched.observe(figure.querySelector(".plot"));
    }
  }

  return {show};
})();

charts.show(document);
