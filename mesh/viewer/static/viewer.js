"use strict";
// What the pages of the viewer do beside links and forms: draw charts that came with a part, send a form when a choice
// changes, and the keys of the queue of labels.

document.addEventListener("htmx:after:swap", () => charts.show(document));

document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-submits]")) event.target.form.requestSubmit();
});

document.addEventListener("keydown", (event) => {
  const writes = event.target.closest("input, select, textarea");
  if (event.key === "Escape" && writes) writes.blur();
  if (writes || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const key = CSS.escape(event.key.toLowerCase());
  const action = document.querySelector(`[data-key="${key}"]`);
  const field = document.querySelector(`[data-focus="${key}"]`);
  if (action || field) event.preventDefault();
  if (action) action.click();
  if (field) field.focus();
});
