"use strict";
// The list of results and the page of each, in a report that is one file. What stands in the address behind `#` decides
// what is shown: `results?gate=fail&code=X` is a filtered list, `result/ID` a result, `result/ID/verdict-3` a part of it.

const report = (() => {
  const FIELDS = ["id", "task", "gate", "primary", "codes", "class", "score", "cost", "currency", "latency", "reason",
    "checks", "chunk", "place"];
  const FILTERS = ["q", "gate", "code", "class", "check", "kind"];
  const MARKS = {p: ["✓", "pass"], f: ["✗", "fail"], a: ["?", "abstain"], e: ["!", "error"], s: ["–", "skipped"]};
  const COLOURS = {pass: "pass", fail: "fail", undecided: "undecided", abstain: "undecided", error: "evaluator",
    skipped: "skipped"};
  const GATE_ORDER = {fail: 0, undecided: 1, pass: 2};
  const DRAG_PX = 6;

  const byId = (id) => document.getElementById(id);
  const columns = JSON.parse(byId("columns").textContent);
  const rows = readRows();
  const numberOf = new Map(rows.map((row, number) => [row.id, number]));
  const filters = byId("filters");
  let table = null;
  let ready = null;
  let tableWidth = 0;
  let filter = {};
  let unpacked = {chunk: -1, parts: []};

  function readRows() {
    const found = [];
    for (const script of document.querySelectorAll("script.rows")) {
      for (const cells of JSON.parse(script.textContent)) {
        const row = Object.fromEntries(FIELDS.map((field, at) => [field, cells[at]]));
        row.words = `${row.id} ${row.task} ${row.reason} ${row.primary}`.toLowerCase();
        columns.checks.forEach((_, at) => { row[`check${at}`] = row.checks[at]; });
        found.push(row);
      }
    }
    return found.sort((a, b) => GATE_ORDER[a.gate] - GATE_ORDER[b.gate]);
  }

  // --- the list ---

  const addressOf = (id) => `#result/${encodeURIComponent(id)}`;

  function isolated(text) {
    const element = document.createElement("bdi");
    element.textContent = text;
    return element;
  }

  function linkCell(cell) {
    const link = document.createElement("a");
    link.href = addressOf(cell.getValue());
    link.append(isolated(cell.getValue()));
    return link;
  }

  function gateCell(cell) {
    const element = document.createElement("span");
    element.className = `badge c-${COLOURS[cell.getValue()]}`;
    element.textContent = cell.getValue();
    return element;
  }

  function checkCell(cell) {
    const [mark, kind] = MARKS[cell.getValue()] ?? ["", "not run"];
    const element = cell.getElement();
    element.classList.add(`c-${COLOURS[kind] ?? "other"}`);
    element.setAttribute("aria-label", kind);
    return document.createTextNode(mark);
  }

  const textCell = (cell) => isolated(cell.getValue() ?? "");
  const numberCell = (digits) => (cell) => document.createTextNode(cell.getValue() === null ? "" : cell.getValue().toFixed(digits));
  const costCell = (cell) => {
    const {cost, currency} = cell.getData();
    return document.createTextNode(cost === null ? "" : `${Number(cost.toPrecision(4))} ${currency}`);
  };
  const latencyCell = (cell) => document.createTextNode(cell.getValue() === null ? "" : `${(cell.getValue() / 1000).toFixed(1)} s`);

  function column(title, field, width, formatter, more = {}) {
    return {title, field, width, formatter, headerTooltip: false, responsive: 0, ...more};
  }

  function listColumns() {
    const any = (test) => rows.some(test);
    return [
      column("result", "id", 160, linkCell, {frozen: document.body.clientWidth > 700}),
      column("gate", "gate", 116, gateCell, {sorter: (a, b) => GATE_ORDER[a] - GATE_ORDER[b]}),
      column("primary code", "primary", 200, textCell, {visible: any((row) => row.primary)}),
      ...columns.checks.map((_, at) => column("", `check${at}`, 28, checkCell, {
        hozAlign: "center", minWidth: 28, headerVertical: true, cssClass: "check", resizable: false,
        // A name comes from a plug-in: it is text, whatever it holds.
        titleFormatter: () => isolated(columns.titles[at]),
      })),
      column("why", "reason", undefined, textCell, {minWidth: 220, widthGrow: 1}),
      ...detailColumns(any),
    ];
  }

  // They are left out from the last on where the table is too narrow for all of them.
  function detailColumns(any) {
    const number = {hozAlign: "right", sorter: "number"};
    return [
      column("class", "class", 112, textCell, {visible: any((row) => row.class)}),
      column("score", "score", 84, numberCell(2), {...number, visible: any((row) => row.score !== null)}),
      column("cost", "cost", 110, costCell, {...number, visible: any((row) => row.cost !== null)}),
      column("took", "latency", 84, latencyCell, {...number, visible: any((row) => row.latency !== null)}),
      column("task", "task", 150, textCell, {visible: any((row) => row.task !== row.id)}),
    ].filter((each) => each.visible).map((each, at) => ({...each, responsive: at + 1}));
  }

  function sayLeftOut() {
    const titles = table.getColumns().filter((each) => !each.isVisible() && each.getDefinition().responsive);
    const names = titles.map((each) => each.getDefinition().title).join(", ");
    byId("left-out").textContent = names && `Too narrow for ${names}: the page of a result shows them.`;
  }

  function matches(row) {
    if (filter.gate && row.gate !== filter.gate) return false;
    if (filter.code && !row.codes.includes(filter.code)) return false;
    if (filter.class && row.class !== filter.class) return false;
    if (filter.q && !row.words.includes(filter.q.toLowerCase())) return false;
    if (filter.check) {
      const kind = MARKS[row.checks[columns.checks.indexOf(filter.check)]]?.[1];
      if (filter.kind ? kind !== filter.kind : kind === undefined) return false;
    } else if (filter.kind && ![...row.checks].some((mark) => MARKS[mark]?.[1] === filter.kind)) return false;
    return true;
  }

  function makeTable() {
    table = new Tabulator(byId("table"), {
      data: rows,
      columns: listColumns(),
      index: "id",
      layout: "fitColumns",
      responsiveLayout: "hide",
      height: Math.min(640, 90 + rows.length * 34),
      rowHeight: 34,
      autoResize: false, // redrawn below, and only when the width changes: a redraw under a click would lose it
      columnHeaderSortMulti: true,
      placeholder: "No result matches.",
    });
    tableWidth = byId("table").clientWidth;
    ready = new Promise((resolve) => table.on("tableBuilt", resolve));
    // A grid holds rows only; the links in them take the focus.
    table.on("tableBuilt", () => byId("table").querySelector(".tabulator-tableholder").removeAttribute("tabindex"));
    table.on("tableBuilt", sayLeftOut);
    table.on("dataFiltered", (_, shown) => say(shown.length));
    new ResizeObserver(() => redraw()).observe(byId("table"));
    return ready;
  }

  function redraw() {
    const width = byId("table").clientWidth;
    if (width === 0 || width === tableWidth) return;
    tableWidth = width;
    table.redraw(true);
    sayLeftOut();
  }

  function say(count) {
    const all = rows.length.toLocaleString("en");
    byId("shown").textContent = count === rows.length ? all : `${count.toLocaleString("en")} of ${all}`;
  }

  // A press decides which result opens, not the release: the row may be another one by then.
  function openOnPress(container) {
    let pressed = null;
    container.addEventListener("pointerdown", (event) => {
      const link = event.target.closest(".tabulator-row")?.querySelector("a[href]");
      const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
      pressed = link && plain ? {address: link.getAttribute("href"), x: event.clientX, y: event.clientY} : null;
    });
    document.addEventListener("pointerup", (event) => {
      if (pressed === null) return;
      const moved = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
      if (moved < DRAG_PX) location.hash = pressed.address;
      pressed = null;
    });
    document.addEventListener("pointercancel", () => { pressed = null; });
  }

  function readFilters() {
    const values = new FormData(filters);
    return Object.fromEntries(FILTERS.map((name) => [name, values.get(name) ?? ""]).filter(([, value]) => value));
  }

  function writeFilters() {
    for (const name of FILTERS) filters.elements[name].value = filter[name] ?? "";
  }

  function applyFilter() {
    table.setFilter(matches);
    byId("back").href = `#results?${new URLSearchParams(filter)}`;
  }

  function onFilters() {
    filter = readFilters();
    applyFilter();
    history.replaceState(null, "", `#results?${new URLSearchParams(filter)}`);
  }

  // --- a result ---

  async function partsOf(chunk) {
    if (unpacked.chunk === chunk) return unpacked.parts;
    const packed = Uint8Array.from(atob(byId(`chunk-${chunk}`).textContent), (character) => character.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const parts = await new Response(stream).json();
    unpacked = {chunk, parts};
    return parts;
  }

  async function openResult(id, anchor) {
    const row = rows[numberOf.get(id)];
    const target = byId("part");
    if (row === undefined) {
      target.replaceChildren(`This report holds no result ${id}`);
    } else if (target.dataset.id !== id) {
      const parts = await partsOf(row.chunk);
      // Inert: no script of it runs, and the policy of the page refuses handlers. All text was escaped when it was written.
      const parsed = new DOMParser().parseFromString(parts[row.place], "text/html");
      target.replaceChildren(...parsed.body.childNodes);
      target.dataset.id = id;
    }
    byId("run").hidden = true;
    byId("result").hidden = false;
    linkNeighbours(id);
    charts.show(target);
    document.title = `${id} - judgemesh`;
    const part = anchor ? document.getElementById(anchor) : null;
    document.querySelectorAll(".pointed").forEach((element) => element.classList.remove("pointed"));
    if (part !== null && target.contains(part)) {
      part.classList.add("pointed");
      part.scrollIntoView({block: "start"});
    } else {
      window.scrollTo(0, 0);
      target.querySelector("h1")?.focus({preventScroll: true});
    }
    target.dataset.shown = `${id}/${anchor ?? ""}`;
  }

  function linkNeighbours(id) {
    const shown = table.getData("active");
    const at = shown.findIndex((row) => row.id === id);
    for (const [name, row] of [["previous", shown[at - 1]], ["next", at < 0 ? undefined : shown[at + 1]]]) {
      const link = byId(name);
      if (row === undefined) link.removeAttribute("href");
      else link.href = addressOf(row.id);
    }
    byId("place").textContent = at < 0 ? "" : `${(at + 1).toLocaleString("en")} of ${shown.length.toLocaleString("en")}`;
  }

  function showRun() {
    byId("result").hidden = true;
    byId("run").hidden = false;
    document.title = title;
    charts.show(byId("run"));
    redraw();
  }

  // --- the address ---

  const title = document.title;

  async function route() {
    await ready;
    const [name, id, anchor] = location.hash.slice(1).split("?")[0].split("/");
    if (name === "result" && id) {
      await openResult(decodeURIComponent(id), anchor);
      return;
    }
    showRun();
    if (name === "results") {
      const given = new URLSearchParams(location.hash.split("?")[1] ?? "");
      filter = Object.fromEntries(FILTERS.map((field) => [field, given.get(field) ?? ""]).filter(([, value]) => value));
      writeFilters();
      applyFilter();
      byId("results").scrollIntoView({block: "start"});
    }
    document.body.dataset.route = location.hash;
  }

  function showCosts() {
    const costs = rows.filter((row) => row.cost !== null);
    const currencies = new Set(costs.map((row) => row.currency));
    if (costs.length < 10 || currencies.size !== 1) return;
    const values = costs.map((row) => row.cost).sort((a, b) => a - b);
    const [currency] = currencies;
    const quantile = (share) => values[Math.min(values.length - 1, Math.floor(share * values.length))];
    const data = {values, unit: currency, marks: [{value: quantile(0.5), text: "median"}, {value: quantile(0.9), text: "p90"}]};
    const section = byId("costs");
    section.querySelector("script").textContent = JSON.stringify(data);
    section.hidden = false;
    charts.show(section);
  }

  async function start() {
    say(rows.length);
    makeTable();
    openOnPress(byId("table"));
    filters.addEventListener("input", onFilters);
    filters.addEventListener("submit", (event) => event.preventDefault());
    filters.addEventListener("reset", () => setTimeout(onFilters));
    window.addEventListener("hashchange", route);
    await ready;
    showCosts();
    await route();
    performance.mark("ready");
    document.body.dataset.ready = "yes";
  }

  start();
})();
