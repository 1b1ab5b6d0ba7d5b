"use strict";
// Sort a table by a column, and hide the rows that do not contain what is searched for.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const numeric = head.classList.contains("n");
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
      const compare = numeric
        ? (a, b) => (a === "") - (b === "") || (up ? a - b : b - a)  // what is empty stays below
        : (a, b) => (up ? 1 : -1) * a.localeCompare(b, undefined, { numeric: true });
      const rows = [...body.rows].map((row) => [value(row), row]);
      rows.sort(([a], [b]) => compare(a, b));
      body.append(...rows.map(([, row]) => row));
    });
  }
}
for (const field of document.querySelectorAll("input[type=search]")) {
  const table = document.getElementById(field.dataset.table);
  const count = document.getElementById(field.dataset.count);
  field.addEventListener("input", () => {
    const words = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLocaleLowerCase();
      const fits = words.every((word) => text.includes(word));
      row.classList.toggle("hidden", !fits);
      shown += fits;
    }
    count.textContent = `${shown} of ${table.tBodies[0].rows.length}`;
  });
}
