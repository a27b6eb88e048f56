// Forecasts next to the errors alone: few tasks have a row each, many a column without a name.

const MANY_ROWS = 50;
const MOST_DRAWN = 1000;
const RING = 9; // pixels from the task to the ring

function showForecasts() {
  const n = data.tasks.length;
  const drawn =
    n > MOST_DRAWN ? ` Only the ${whole.format(MOST_DRAWN)} tasks in most need are drawn.` : "";
  const unknown = data.tasks.filter((task) => task.forecast === null).length;
  const missing = unknown ? ` The error of ${counted(unknown, "task")} is unknown.` : "";
  byId("forecast-text").textContent =
    "Filled dots are forecasts with their 90\u00a0% intervals, hollow dots the errors of the " +
    `same tasks alone; a ring marks the task chosen below.${missing}${drawn}`;
  behind(byId("forecast"), () =>
    plainTable("Forecasts", columns.slice(0, 5).map(plainName), data.tasks),
  );
  return drawForecasts(byId("forecast"));
}

function plainName(column, i) {
  return i === 0 ? { ...column, cell: (task) => nameOf(task.name) } : column;
}

function drawForecasts(figure) {
  const colours = theme();
  const tasks = data.tasks.slice(0, MOST_DRAWN);
  const inRows = tasks.length <= MANY_ROWS;
  const errors = { tickformat: ".0~%", rangemode: "tozero", title: { text: "error on new rows" } };
  const room = Math.max(1, (1.5 * RING * tasks.length) / figure.clientWidth); // for it at both ends
  const columns = {
    showticklabels: false,
    showgrid: false,
    range: [-room, tasks.length - 1 + room],
    title: { text: "tasks, those in most need first" },
  };
  const [rows, width] = namedRows(
    figure,
    tasks.map((t) => t.name),
  );
  const layout = layoutOf(colours, inRows ? 90 + 22 * tasks.length : 420, {
    showlegend: true,
    margin: { l: inRows ? width : 62, r: 30, t: figure.clientWidth < 480 ? 60 : 40, b: 48 },
    xaxis: inRows ? errors : columns,
    yaxis: inRows ? rows : errors,
  });
  const label =
    `Forecast errors of ${counted(tasks.length, "task")} with intervals, and the ` +
    "errors of the same tasks alone. The table below has the numbers.";
  return draw(figure, label, forecastTraces(tasks, inRows, colours), layout);
}

function forecastTraces(tasks, inRows, colours) {
  const size = inRows ? 9 : Math.max(4, Math.min(8, 900 / tasks.length));
  const places = tasks.map((_, i) => i);
  const dots = (name, values, marker) => ({
    name,
    marker: { size, ...marker },
    x: inRows ? values : places,
    y: inRows ? places : values,
    type: "scatter",
    mode: "markers",
    text: tasks.map(hoverOf),
    hovertemplate: "%{text}<extra></extra>",
    cliponaxis: false,
  });
  const hollow = { symbol: "circle-open", color: colours.alone, line: { width: 1.5 } };
  const alone = dots(
    "alone",
    tasks.map((t) => t.alone),
    hollow,
  );
  const forecasts = tasks.map((t) => t.forecast);
  const forecast = dots("forecast, 90\u00a0% interval", forecasts, { color: colours.ours });
  const bars = { color: colours.oursSoft, width: 0, thickness: Math.max(1, size / 3) };
  forecast[inRows ? "error_x" : "error_y"] = { ...bars, ...intervalBars(tasks) };
  return [alone, forecast];
}

function intervalBars(tasks) {
  return {
    type: "data",
    symmetric: false,
    array: tasks.map((t) => t.high - t.forecast),
    arrayminus: tasks.map((t) => t.forecast - t.low),
  };
}

function hoverOf(task) {
  return (
    `${inPicture(task.name)}<br>forecast ${percent(task.forecast)}, ${interval(task)}` +
    `<br>alone ${percent(task.alone)}, gain ${points(task.gain)}`
  );
}

// Around the chosen task: moving a shape redraws nothing else.
function moveRing(figure, t) {
  const inRows = data.tasks.length <= MANY_ROWS;
  const error = t < MOST_DRAWN ? data.tasks[t].forecast : null;
  const [x, y] = inRows ? [error, t] : [t, error];
  const ring = {
    type: "circle",
    xsizemode: "pixel",
    ysizemode: "pixel",
    xanchor: x,
    yanchor: y,
    ...{ x0: -RING, x1: RING, y0: -RING, y1: RING },
    line: { color: theme().chosen, width: 2.5 },
    visible: error !== null,
  };
  return Plotly.relayout(figure.querySelector(".picture"), { shapes: [ring] });
}
