// Everything that does not depend on the chosen task: a sentence, key figures, warnings.

function showAbout() {
  const { classes, features, labels, fades, alone, unlabelled } = data.about;
  const how = data.tasks.length === 1 ? "" : alone ? "each alone " : "together ";
  byId("about").textContent =
    `${counted(data.tasks.length, "task")} with ` +
    `${counted(classes.length, "class", "classes")} and ${counted(features, "feature")}, learnt ` +
    `${how}from ${counted(labels, "label")}` +
    `${fades ? " (older ones count less)" : ""}. ${weighedText()}` +
    `${unlabelled ? ` ${unlabelled}.` : ""}`;
}

// An error means little without what is counted, and what knowing nothing gives.
function weighedText() {
  const { weighed, majority, one_answer: one, goal } = data.about;
  const how = {
    equally: "The expected error counts all classes of a task equally",
    frequency: "The expected error counts classes as often as they occur in the labels of a task",
    given: "The expected error counts classes by the shares that were given",
  }[weighed];
  const always = "always answering the most frequent class of a task would";
  const inRows = weighed === "equally" ? `, and be wrong in ${percent(majority)} of its rows` : "";
  return `${how}: ${always} give ${percent(one)}${inRows}.${goal && ` ${goal}`}`;
}

function keyFigures() {
  const { known, forecast, alone, gaining, losing, largest_loss: loss } = data.figures;
  const n = data.tasks.length;
  const of = (some) => `${whole.format(some)} of ${whole.format(n)}`;
  const over =
    known === n ? "mean over tasks" : `mean over ${counted(known, "task")} with a forecast`;
  const lost = `${whole.format(losing)} may lose, at most ${(100 * loss).toFixed(1)} points`;
  const [gain, need] =
    n === 1 ? ["task gains", "task needs labels"] : ["tasks gain from others", "tasks need labels"];
  return [
    [percent(forecast), "expected error", over],
    [percent(alone), "if every task went alone", over],
    [of(gaining), gain, losing ? lost : "none is expected to lose"],
    [of(data.figures.short_of_labels), need, "fewer than 5 labels in a class, or only one class"],
  ];
}

function scoreFigure(score) {
  if (score.value === null) return [UNKNOWN, score.title, "no task has enough labels"];
  const over = score.known === 1 ? "" : `mean over ${counted(score.known, "task")}; `;
  return [score.value.toFixed(3), score.title, over + blindText(score)];
}

function showFigures() {
  for (const [figure, what, note] of [...keyFigures(), ...data.scores.map(scoreFigure)]) {
    const words = [element("span", {}, what), element("span", { class: "quiet" }, note)];
    byId("figures").append(element("li", {}, element("b", {}, figure), ...words));
  }
  const notes = [...new Set(data.scores.map((score) => score.note))].filter(Boolean);
  byId("score-notes").textContent = notes.join(" ");
  byId("score-notes").hidden = !notes.length;
}

function showDoubts() {
  const place = byId("doubt-list");
  if (!data.doubts.length) place.append(element("p", {}, "None."));
  place.append(...data.doubts.map(doubtPart));
}

function doubtPart(doubt) {
  const many = doubt.tasks.length ? `: ${counted(doubt.tasks.length, "task")}` : "";
  const title = doubt.kind[0].toUpperCase() + doubt.kind.slice(1) + many;
  const part = element("section", { class: "doubt" }, element("h3", {}, title));
  part.append(element("p", {}, doubt.meaning));
  if (doubt.features.length) {
    const names = doubt.features.map((name) => element("li", {}, nameOf(name)));
    part.append(element("ul", {}, ...names));
  }
  if (doubt.tasks.length) {
    const which = [
      { title: "Task", cell: ([t]) => nameOf(data.tasks[t].name) },
      { title: "Details", words: true, cell: ([, what]) => nameOf(what) },
    ];
    behind(part, () => plainTable(title, which, doubt.tasks), "Which tasks");
  }
  return part;
}
