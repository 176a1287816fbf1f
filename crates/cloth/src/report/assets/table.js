"use strict";
// Tables that sort by the column whose header is pressed.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const headers = [...table.tHead.rows[0].cells];
  const value = (row, column) => row.cells[column].textContent.trim();
  const number = (text) => parseFloat(text.replace(/,/g, ""));
  headers.forEach((header, column) => {
    if ("fixed" in header.dataset) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const numeric = header.classList.contains("n");
      const now = header.getAttribute("aria-sort");
      // Numeric columns are first sorted in descending order.
      const descending = now ? now === "ascending" : numeric;
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      const compare = (a, b) => {
        const [x, y] = [value(a, column), value(b, column)];
        // Missing values and text that is not a number come last in both directions.
        const [no_x, no_y] = [x, y].map((text) => numeric && Number.isNaN(number(text)));
        if (no_x || no_y) return no_x - no_y;
        const order = numeric ? number(x) - number(y) : x.localeCompare(y, "en", { numeric: true });
        return descending ? -order : order;
      };
      table.tBodies[0].append(...rows.sort(compare));
    });
  });
}
