// The page: the choice of a task, and what changes with it.

function gainText({ gain }) {
  const size = points(gain).slice(1);
  if (gain === null || points(gain) === "0.0") return "";
  if (gain < 0) return ` The other tasks are expected to cost it ${size} points.`;
  return ` The other tasks save ${size} points.`;
}

function scoreSentence(title, score) {
  const known = score.value === null ? "" : `; ${blindText(score)}`;
  return `${capitalised(title)} ${scoreText(score)}${known}.`;
}

function showChosen(t) {
  const task = data.tasks[t];
  const errors =
    `Forecast error ${percent(task.forecast)}, 90\u00a0% interval ${interval(task)}; alone ` +
    `${percent(task.alone)}.${gainText(task)}`;
  const scores = task.scores.map((score, i) => scoreSentence(data.scores[i].title, score));
  const lines = [errors, ...scores, labelsText(task)];
  if (task.doubts.length) lines.push(`Warnings: ${task.doubts.join(", ")}.`);
  const name = element("p", {}, element("strong", {}, nameOf(task.name)));
  byId("chosen").replaceChildren(name, ...lines.map((line) => element("p", {}, line)));
}

// Resolves when everything about the task has been drawn.
async function choose(t) {
  performance.mark("choice");
  state.chosen = t;
  byId("panels").setAttribute("aria-busy", "true");
  if (byId("task").value !== String(t)) {
    byId("task-filter").value = "";
    showOptions("");
  }
  showChosen(t);
  markChosen();
  await Promise.all([showHelp(t), showCurve(t), showAlike(t)]);
  performance.measure("redraw", "choice");
  await moveRing(byId("forecast"), t);
  if (state.chosen === t) byId("panels").setAttribute("aria-busy", "false");
}

function showOptions(wanted) {
  const text = wanted.trim().toLowerCase();
  const found = data.tasks.filter((task) => task.name.toLowerCase().includes(text));
  const options = found.map((task) =>
    element("option", { value: task.place }, shortened(task.name, 60)),
  );
  byId("task").replaceChildren(...options);
  if (found.includes(data.tasks[state.chosen])) byId("task").value = String(state.chosen);
  return found;
}

function listen() {
  byId("task").addEventListener("change", (event) => choose(Number(event.target.value)));
  byId("task-filter").addEventListener("input", (event) => {
    const found = showOptions(event.target.value);
    if (found.length && !found.includes(data.tasks[state.chosen])) choose(found[0].place);
  });
  byId("filter").addEventListener("input", (event) => {
    state.wanted = event.target.value.trim();
    showTable(`${counted(findTasks().length, "task")} found.`);
  });
  byId("show-all").addEventListener("click", () => {
    state.all = !state.all;
    showTable();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
}

// Phones resize when their toolbar appears: redraw only if the width has changed.
function listenToWidth() {
  let [timer, width] = [0, innerWidth];
  const redraw = () => {
    width = innerWidth;
    drawAll();
  };
  addEventListener("resize", () => {
    clearTimeout(timer);
    if (innerWidth !== width) timer = setTimeout(redraw, 120);
  });
}

async function drawAll() {
  byId("panels").setAttribute("aria-busy", "true");
  await showForecasts();
  await showMap();
  await choose(state.chosen);
}

showAbout();
showFigures();
showTable();
showOptions("");
showDoubts();
listen();
listenToWidth();
byId("forecast-method").textContent = data.about.rows_kept
  ? "The error of a task\u2019s rule on new rows, estimated in closed form by leaving out rows in turn."
  : "The error of a task\u2019s rule on new rows by a formula, since the model kept no rows (row_sample=0). " +
    "With correlated features the formula is too optimistic.";
document.addEventListener("DOMContentLoaded", drawAll);
