// Elements and tables. Whatever comes from the data is inserted as text.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// A name does not change the writing direction of its surroundings.
function nameOf(text) {
  return element("bdi", {}, text);
}

// Columns have a title, cell(row) and, where they sort, value(row).
function bodyOf(columns, rows) {
  const body = element("tbody");
  for (const row of rows) {
    const line = element("tr");
    columns.forEach((column, i) => {
      const cell = i === 0 ? element("th", { scope: "row" }) : element("td");
      if (column.words) cell.className = "words";
      if (column.tone && column.tone(row)) cell.classList.add(column.tone(row));
      cell.append(column.cell(row));
      line.append(cell);
    });
    body.append(line);
  }
  return body;
}

function headOf(columns, cellOf) {
  const line = element("tr");
  columns.forEach((column) => line.append(cellOf(column)));
  return element("thead", {}, line);
}

function plainHead(column) {
  return element("th", { scope: "col", class: column.words ? "words" : null }, column.title);
}

// A table that scrolls inside its frame, also by keyboard.
function framed(table, label) {
  return element(
    "div",
    { class: "scroll", role: "region", tabindex: "0", "aria-label": label },
    table,
  );
}

function plainTable(caption, columns, rows) {
  const title = element("caption", {}, caption);
  const table = element("table", {}, title, headOf(columns, plainHead), bodyOf(columns, rows));
  return framed(table, caption);
}

// The table behind a picture; table() makes it when it is opened.
function behind(figure, table, title = "Show as a table") {
  let details = figure.querySelector("details");
  if (!details) {
    details = element("details", {}, element("summary", {}, title));
    details.addEventListener("toggle", () => fill(details));
    figure.append(details);
  }
  details.makeTable = table;
  details.querySelector(".scroll")?.remove();
  fill(details);
}

function fill(details) {
  if (details.open && !details.querySelector(".scroll")) details.append(details.makeTable());
}

function sorted(rows, column, descending) {
  const sign = descending ? -1 : 1;
  return rows.slice().sort((a, b) => {
    const [first, second] = [column.value(a), column.value(b)];
    if (typeof first === "string")
      return sign * first.localeCompare(second, "en", { numeric: true });
    return first === second ? 0 : sign * (first < second ? -1 : 1);
  });
}
