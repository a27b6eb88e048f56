// The map: how related the tasks are, like ones side by side.

const LARGEST_SQUARE = 30;

function showMap() {
  const { order, values, alike } = data.related;
  const n = data.tasks.length;
  if (order.length < 2) {
    byId("map-text").textContent = "There is only one task.";
    return null;
  }
  const part =
    order.length < n
      ? ` Drawn are the ${counted(order.length, "task")} with the largest need, of ${whole.format(n)}.`
      : "";
  const more = alike || order.length === n ? " Choose a task above for more of its row." : "";
  byId("map-text").textContent =
    `Tasks that are alike stand side by side; point at a field for its value.${part}${more}`;
  behind(byId("map"), () =>
    order.length <= LARGEST_SQUARE ? squareTable(order, values) : nearestTable(order),
  );
  return drawMap(byId("map"));
}

function drawMap(figure) {
  const colours = theme();
  const { order } = data.related;
  const names = order.map((t) => data.tasks[t].name);
  const width = Math.min(figure.clientWidth, 704);
  const named = width / order.length >= 14;
  const ticks = {
    showticklabels: named,
    tickvals: order.map((_, i) => i),
    ticktext: names.map((name) => inPicture(name, 16)),
    tickfont: { size: 11, color: colours.soft },
    showgrid: false,
    ticks: "",
    constrain: "domain",
  };
  const beside = named ? widthOf(names, 16) : 8;
  const layout = layoutOf(colours, Math.max(320, width + 52), {
    margin: { l: beside, r: 8, t: 60, b: beside },
    xaxis: { ...ticks, tickangle: 90 },
    yaxis: { ...ticks, autorange: "reversed", scaleanchor: "x" },
  });
  const label =
    `Map of the relatedness of ${counted(order.length, "task")}, like ones side by side. ` +
    "The table below has the numbers.";
  return draw(figure, label, [mapTrace(names, colours, named ? 1 : 0)], layout);
}

function mapTrace(names, colours, gap) {
  const { values } = data.related;
  const shown = names.map((name) => inPicture(name, 40));
  const texts = values.map((row, i) =>
    row.map((value, j) => `${shown[i]}<br>${shown[j]}<br>${cosine(value)}`),
  );
  return {
    type: "heatmap",
    z: values,
    zmin: -1,
    zmax: 1,
    colorscale: colours.map,
    text: texts,
    hovertemplate: "%{text}<extra></extra>",
    xgap: gap,
    ygap: gap,
    colorbar: {
      orientation: "h",
      y: 1.01,
      yanchor: "bottom",
      thickness: 12,
      len: 0.7,
      outlinewidth: 0,
      tickvals: [-1, 0, 1],
      ticktext: ["\u22121", "0", "1"],
    },
  };
}

function squareTable(order, values) {
  const names = order.map((t) => data.tasks[t].name);
  const fields = names.map((name, j) => ({
    title: nameOf(shortened(name, 24)),
    cell: (i) => cosine(values[i][j]),
  }));
  const first = { title: "Task", cell: (i) => nameOf(names[i]) };
  return plainTable(
    "Relatedness",
    [first, ...fields],
    order.map((_, i) => i),
  );
}

// Of many tasks, those most and least like each: nobody reads a square of thousands.
function nearestTable(order) {
  const listed = (row) =>
    row.map(({ task, value }) => `${shortened(task.name, 40)} ${cosine(value)}`).join(", ");
  const nearest = [
    { title: "Task", cell: (t) => nameOf(data.tasks[t].name) },
    { title: "Most like it", words: true, cell: (t) => nameOf(listed(alikeOf(t).slice(0, 3))) },
    { title: "Least like it", words: true, cell: (t) => nameOf(listed(alikeOf(t).slice(-1))) },
  ];
  return plainTable("The tasks most and least like each", nearest, order);
}
