// Shared by all pictures: the colours of the page, axes, room for names.

function theme() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["paper", "card", "ink", "soft", "line", "ours", "alone", "warm", "chosen"];
  const found = Object.fromEntries(names.map((name) => [name, read(name)]));
  found.map = [
    [0, read("map-low")],
    [0.5, read("map-zero")],
    [1, read("map-high")],
  ];
  found.oursSoft = read("ours-soft");
  found.font = read("font");
  return found;
}

// Fixed angles: searching for better positions of tick labels takes a third of a redraw.
function axisOf(colours) {
  return {
    fixedrange: true,
    gridcolor: colours.line,
    linecolor: colours.line,
    zerolinecolor: colours.soft,
    zeroline: false,
    tickfont: { color: colours.soft },
    title: { standoff: 10 },
    tickangle: 0,
    ticklabeloverflow: "allow",
  };
}

function layoutOf(colours, height, changes) {
  const ink = { family: colours.font, size: 13, color: colours.ink };
  return {
    height,
    font: ink,
    autosize: true,
    dragmode: false,
    hovermode: "closest",
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    margin: { l: 62, r: 30, t: 40, b: 48 },
    showlegend: false,
    legend: {
      orientation: "h",
      x: 0,
      y: 1,
      yanchor: "bottom",
      itemclick: false,
      itemdoubleclick: false,
    },
    hoverlabel: { bgcolor: colours.card, bordercolor: colours.soft, align: "left", font: ink },
    ...changes,
    xaxis: { ...axisOf(colours), ...changes.xaxis },
    yaxis: { ...axisOf(colours), ...changes.yaxis },
  };
}

// A picture with a text alternative.
function draw(figure, label, traces, layout) {
  let place = figure.querySelector(".picture");
  if (!place) {
    place = element("div", { class: "picture", role: "img" });
    figure.prepend(place);
  }
  place.setAttribute("aria-label", label);
  place.style.height = `${layout.height}px`;
  const width = String(place.clientWidth);
  const method = place.dataset.width === width ? "react" : "newPlot"; // react leaves legends behind
  place.dataset.width = width;
  return Plotly[method](place, traces, layout, { displayModeBar: false, doubleClick: false });
}

function roomForNames(figure) {
  return figure.clientWidth < 480 ? 14 : 28;
}

const ruler = document.createElement("canvas").getContext("2d");

// Pixels for names next to an axis: measuring is much cheaper than letting Plotly try.
function widthOf(names, longest) {
  ruler.font = `13px ${theme().font}`;
  const widths = names.map((name) => ruler.measureText(shortened(name, longest)).width);
  return Math.ceil(Math.max(0, ...widths)) + 18;
}

// Names along the vertical axis, the first on top, and the margin that they need.
function namedRows(figure, names, leastRows = 0) {
  const longest = roomForNames(figure);
  const axis = {
    tickvals: names.map((_, i) => i),
    ticktext: names.map((name) => inPicture(name, longest)),
    range: [Math.max(names.length, leastRows) - 0.4, -0.6],
    showgrid: false,
    ticklabelstandoff: 6,
  };
  return [axis, widthOf(names, longest)];
}
