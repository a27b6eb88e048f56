// One task among the others: which tasks help it, and which are like it.

const MOST_BARS = 12;
const REVERSED = " Orange: tasks whose classes are reversed; they count with the opposite sign.";

function helpersOf(t) {
  return data.help.of[t].map(([other, value]) => ({ task: data.tasks[other], value }));
}

function helpText(t, helpers) {
  if (data.tasks.length === 1) return "There is no other task.";
  if (data.tasks[t].forecast === null) return "Its error is unknown.";
  if (!helpers.length) {
    if (!data.help.exact) return "No other task contributes: this one goes alone.";
    return "Without any one of the others its error would be the same.";
  }
  const negative = helpers.some((helper) => helper.value < 0);
  if (data.help.exact) {
    return (
      "By how many points less the others would save without each of them, left out in turn." +
      (negative ? " Orange: tasks that make it worse." : "")
    );
  }
  return (
    `Where its rule comes from: ${percent(data.help.own[t])} from its own labels, the rest from ` +
    `other tasks, the largest shares below.${negative ? REVERSED : ""}`
  );
}

function showHelp(t) {
  const { exact } = data.help;
  const [helpers, figure] = [helpersOf(t), byId("help")];
  const text = helpText(t, helpers);
  const said = (value) => (exact ? points(value) : percent(Math.abs(value)));
  const bars = helpers.map(({ task, value }) => ({
    name: task.name,
    size: 100 * (exact ? value : Math.abs(value)),
    warm: value < 0,
    hover: `${inPicture(task.name)}<br>${said(value)}`,
  }));
  byId("help-text").textContent = text;
  const columns = [
    { title: "Task", cell: ({ task }) => nameOf(task.name) },
    { title: exact ? "Points" : "Share of the rule", cell: ({ value }) => said(value) },
  ];
  const direction = { title: "Direction", cell: ({ value }) => (value < 0 ? "reversed" : "same") };
  if (!exact) columns.push(direction);
  behind(figure, () => plainTable("Tasks that help the chosen task", columns, helpers));
  const title = exact ? "saved by it, points" : "share of the rule, %";
  const axis = { title: { text: title }, rangemode: "tozero" };
  return drawBars(figure, `${text} The table below has the numbers.`, bars, axis);
}

// The tasks that a task was compared with, the most related first; only some if there are many.
function alikeOf(t) {
  const { order, values, alike } = data.related;
  if (alike) return alike[t].map(([other, value]) => ({ task: data.tasks[other], value }));
  const place = order.indexOf(t);
  if (place < 0) return null;
  const row = values[place].map((value, i) => ({ task: data.tasks[order[i]], value }));
  row.splice(place, 1);
  return row.sort((a, b) => b.value - a.value);
}

function mostRelated(row) {
  const bySize = row.slice().sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return bySize.slice(0, MOST_BARS).sort((a, b) => b.value - a.value);
}

function alikeText(row, shown) {
  if (data.tasks.length === 1) return "There is no other task.";
  if (!row) return "It is not on the map below.";
  if (!shown) return "Unknown: it has no two labelled classes in common with another task.";
  const compared = data.related.alike ? data.tasks.length - 1 : row.length;
  return (
    `The ${whole.format(shown)} most related of ${counted(compared, "other task")}; 1 means the ` +
    "same question, \u22121 the same question with the classes reversed."
  );
}

function showAlike(t) {
  const [row, figure] = [alikeOf(t), byId("alike")];
  const all = (row ?? []).some((other) => other.value !== 0) ? row : [];
  const bars = mostRelated(all).map(({ task, value }) => ({
    name: task.name,
    size: value,
    warm: value < 0,
    hover: `${inPicture(task.name)}<br>${cosine(value)}`,
  }));
  const text = alikeText(row, bars.length);
  byId("alike-text").textContent = text;
  const columns = [
    { title: "Task", cell: ({ task }) => nameOf(task.name) },
    { title: "Relatedness", cell: ({ value }) => cosine(value) },
  ];
  behind(figure, () => plainTable("Relatedness to the chosen task", columns, all));
  const ticks = [-1, -0.5, 0, 0.5, 1];
  const axis = { range: [-1.05, 1.05], tickvals: ticks, title: { text: "relatedness" } };
  return drawBars(figure, `${text} The table below has the numbers.`, bars, axis);
}

function drawBars(figure, label, bars, axis) {
  figure.hidden = bars.length === 0;
  if (figure.hidden) return null;
  const colours = theme();
  const names = bars.map((bar) => bar.name);
  const [rows, width] = namedRows(figure, names, 6);
  const trace = {
    type: "bar",
    orientation: "h",
    x: bars.map((bar) => bar.size),
    y: bars.map((_, i) => i),
    marker: { color: bars.map((bar) => (bar.warm ? colours.warm : colours.ours)) },
    text: bars.map((bar) => bar.hover),
    textposition: "none",
    hovertemplate: "%{text}<extra></extra>",
  };
  const layout = layoutOf(colours, 380, {
    bargap: 0.35,
    margin: { l: width, r: 16, t: 10, b: 48 },
    xaxis: { ...axis, zeroline: true },
    yaxis: rows,
  });
  return draw(figure, label, [trace], layout);
}
