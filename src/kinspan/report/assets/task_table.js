// The table of tasks: it can be sorted and searched, and a name chooses a task.

const ROWS_AT_FIRST = 15;
const state = { chosen: 0, column: 1, descending: true, all: false, wanted: "" };
const BEYOND = Number.POSITIVE_INFINITY; // unknown values count as most need

const columns = [
  { title: "Task", cell: (t) => nameButton(t), value: (t) => t.name },
  {
    title: "Forecast error",
    cell: (t) => percent(t.forecast),
    value: (t) => t.forecast ?? BEYOND,
  },
  {
    title: "90\u00a0% interval",
    cell: interval,
    value: (t) => (t.low === null ? BEYOND : t.high),
  },
  { title: "Alone", cell: (t) => percent(t.alone), value: (t) => t.alone ?? BEYOND },
  {
    title: "Gain in points",
    cell: (t) => points(t.gain),
    value: (t) => t.gain ?? BEYOND,
    tone: (t) => (t.gain !== null && t.gain <= -0.0005 ? "worse" : ""),
  },
  { title: labelsTitle(), cell: labelsOf, value: (t) => Math.min(...t.labels) },
  {
    title: "With twice the labels",
    cell: (t) => percent(t.doubled),
    value: (t) => t.doubled ?? BEYOND,
  },
  {
    title: "Warnings",
    words: true,
    cell: (t) => t.doubts.join(", "),
    value: (t) => t.doubts.length,
  },
];
columns.splice(-1, 0, ...data.scores.map(scoreColumn)); // before the warnings
data.tasks.forEach((task, i) => {
  task.place = i;
});

function scoreColumn(score, i) {
  return {
    title: capitalised(score.title),
    cell: (t) => scoreText(t.scores[i]),
    value: (t) => t.scores[i].value ?? BEYOND,
  };
}

function nameButton(task) {
  const button = element("button", { type: "button" }, nameOf(shortened(task.name, 80)));
  button.addEventListener("click", () => {
    choose(task.place);
    byId("one-task").scrollIntoView();
    byId("one-task-title").focus({ preventScroll: true });
  });
  return button;
}

function sortButton(column, i) {
  const active = state.column === i;
  const order = active ? (state.descending ? "descending" : "ascending") : null;
  const arrow = { descending: "\u25bc", ascending: "\u25b2" }[order] ?? "";
  const hint = element("span", { "aria-hidden": "true" }, arrow);
  const button = element("button", { type: "button" }, column.title, hint);
  button.addEventListener("click", () => {
    state.descending = active ? !state.descending : i > 0;
    state.column = i;
    showTable(`Sorted by ${column.title}, ${state.descending ? "largest" : "smallest"} first.`);
    byId("task-table").querySelectorAll("thead button")[i].focus();
  });
  const kind = column.words ? "words" : null;
  return element("th", { scope: "col", "aria-sort": order, class: kind }, button);
}

function findTasks() {
  const wanted = state.wanted.toLowerCase();
  return data.tasks.filter((task) => task.name.toLowerCase().includes(wanted));
}

function showTable(news = "") {
  const rows = sorted(findTasks(), columns[state.column], state.descending);
  const shown = state.all ? rows : rows.slice(0, ROWS_AT_FIRST);
  const title = `${whole.format(shown.length)} of ${counted(data.tasks.length, "task")}`;
  const head = headOf(columns, (column) => sortButton(column, columns.indexOf(column)));
  const table = element("table", {}, element("caption", {}, title), head, bodyOf(columns, shown));
  shown.forEach((task, i) => {
    table.tBodies[0].rows[i].dataset.place = task.place;
  });
  byId("task-table").replaceChildren(framed(table, "Tasks"));
  markChosen();
  byId("table-news").textContent = news;
  const button = byId("show-all");
  button.hidden = rows.length <= ROWS_AT_FIRST;
  button.textContent = state.all
    ? `Show the first ${ROWS_AT_FIRST}`
    : `Show all ${counted(rows.length, "task")}`;
}

function markChosen() {
  for (const row of byId("task-table").querySelectorAll("tbody tr")) {
    row.classList.toggle("chosen", Number(row.dataset.place) === state.chosen);
  }
}
