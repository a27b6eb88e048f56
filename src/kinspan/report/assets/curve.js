// What more labels would buy a task.

function curveText(task) {
  if (task.forecast === null) return "Its error is unknown.";
  const start = `The curve begins at ${percent(task.forecast)}. `;
  const limit = percent(task.limit);
  if (isNothing(task.forecast)) return `${start}There is nothing to gain.`;
  if (task.verdict === "no signal")
    return `${start}That may be no better than guessing: it cannot be said yet what labels would buy.`;
  if (task.verdict === "other goal")
    return "The threshold is for another goal than few errors: labels are not planned for this error.";
  if (task.verdict === "uncertain")
    return `${start}Whether a third less can be reached cannot be said: very many labels tend to about ${limit}.`;
  if (task.more === null)
    return `${start}A third less is out of reach: with very many labels the error tends to ${limit}.`;
  return (
    `${start}A third less takes about ${counted(task.more, "more label")} per class; ` +
    `with very many labels the error tends to ${limit}.`
  );
}

function showCurve(t) {
  const [task, curve, figure] = [data.tasks[t], data.curves[t], byId("curve")];
  byId("curve-text").textContent = curveText(task);
  figure.hidden = task.forecast === null || task.verdict === "other goal";
  if (figure.hidden) return null;
  const columns = [
    { title: "Labels added per class", cell: ({ more }) => whole.format(more) },
    { title: "Expected error", cell: ({ error }) => percent(error) },
  ];
  const rows = curve.more.map((more, i) => ({ more, error: curve.error[i] }));
  behind(figure, () => plainTable("What more labels would buy the chosen task", columns, rows));
  return drawCurve(figure, task, curve);
}

// A logarithmic axis of the labels added that begins at zero: log(1 + added / base).
function drawCurve(figure, task, curve) {
  const colours = theme();
  const most = curve.more.at(-1);
  const base = Math.max(5, most / 200);
  const place = (more) => Math.log1p(more / base);
  const ticks = [0, ...niceNumbers(base, most)];
  const highest = 1.05 * Math.max(...curve.error, task.high);
  const layout = layoutOf(colours, 380, {
    showlegend: true,
    margin: { l: 62, r: 30, t: figure.clientWidth < 560 ? 76 : 40, b: 48 },
    xaxis: {
      tickvals: ticks.map(place),
      ticktext: ticks.map((n) => `+${whole.format(n)}`),
      range: [-0.25, place(most) + 0.1],
      title: { text: "labels added per class" },
    },
    yaxis: { tickformat: ".1~%", range: [0, highest], title: { text: "error on new rows" } },
  });
  const label = `Learning curve. ${curveText(task)} The table below has the numbers.`;
  return draw(figure, label, curveTraces(task, curve, place, colours), layout);
}

function curveTraces(task, curve, place, colours) {
  const said = (more, i) => `+${whole.format(more)} labels<br>${percent(curve.error[i])}`;
  const trace = (name, mode, x, y, text) => ({
    ...{ name, mode, x, y, text },
    type: "scatter",
    hovertemplate: "%{text}<extra></extra>",
  });
  const places = curve.more.map(place);
  const line = trace("expected error", "lines+markers", places, curve.error, curve.more.map(said));
  line.line = { color: colours.ours, width: 2 };
  line.marker = { size: 5 };
  const now = trace("forecast today", "markers", [0], [task.forecast], [hoverOf(task)]);
  now.marker = { size: 10, color: colours.chosen, symbol: "diamond" };
  now.error_y = { ...intervalBars([task]), color: colours.chosen, width: 4, thickness: 1.5 };
  const limits = [task.limit, task.limit];
  const limit = trace("very many labels", "lines", [0, places.at(-1)], limits);
  limit.line = { color: colours.alone, width: 1.5, dash: "dot" };
  limit.hoverinfo = "skip";
  delete limit.hovertemplate;
  return [limit, line, now];
}

// 5, 20, 100, 500, …: few enough for a phone.
function niceNumbers(base, most) {
  const found = [];
  for (let power = 1; power <= most; power *= 10) found.push(power, 2 * power, 5 * power);
  const fitting = found.filter((n) => n >= base && n <= most).reverse();
  const step = Math.ceil(fitting.length / 5);
  return fitting.filter((_, i) => i % step === 0).reverse();
}
