// The map: how related the tasks are, similar ones side by side.

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
      ? ` Only the ${counted(order.length, "task")} in most need, of ${whole.format(n)}, are drawn.`
      : "";
  const more = alike || order.length === n ? " Choose a task above to see its row." : "";
  byId("map-text").textContent =
    `Similar tasks are placed side by side; point at a cell for its value.${part}${more}`;
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
  const margin = named ? widthOf(names, 16) : 8;
  const layout = layoutOf(colours, Math.max(320, width + 52), {
    margin: { l: margin, r: 8, t: 60, b: margin },
    xaxis: { ...ticks, tickangle: 90 },
    yaxis: { ...ticks, autorange: "reversed", scaleanchor: "x" },
  });
  const label =
    `Map of the relatedness of ${counted(order.length, "task")}, similar ones side by side. ` +
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

// With many tasks, only the most and least similar to each: nobody reads thousands of cells.
function nearestTable(order) {
  const listed = (row) =>
    row.map(({ task, value }) => `${shortened(task.name, 40)} ${cosine(value)}`).join(", ");
  const nearest = [
    { title: "Task", cell: (t) => nameOf(data.tasks[t].name) },
    { title: "Most like it", words: true, cell: (t) => nameOf(listed(alikeOf(t).slice(0, 3))) },
    { title: "Least like it", words: true, cell: (t) => nameOf(listed(alikeOf(t).slice(-1))) },
  ];
  return plainTable("The most and least similar tasks", nearest, order);
}
