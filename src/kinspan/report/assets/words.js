// Numbers and names as a reader sees them.

const data = JSON.parse(document.getElementById("data").textContent);
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const UNKNOWN = "unknown";

function byId(id) {
  return document.getElementById(id);
}

function percent(value) {
  return value === null ? UNKNOWN : `${(100 * value).toFixed(1)}\u00a0%`;
}

function points(value) {
  if (value === null) return UNKNOWN;
  const size = Math.abs(100 * value).toFixed(1);
  if (size === "0.0") return size;
  return (value < 0 ? "\u2212" : "+") + size;
}

function cosine(value) {
  return value.toFixed(2).replace("-", "\u2212");
}

function interval(task) {
  if (task.low === null || task.high === null) return UNKNOWN;
  return `${(100 * task.low).toFixed(1)} to ${percent(task.high)}`;
}

function scoreText({ value, low, high }) {
  if (value === null) return UNKNOWN;
  return `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}

// What knowing nothing gives, next to a score.
function blindText({ majority, chance }) {
  const both = [majority, chance].map((value) => value.toFixed(3));
  if (both[0] === both[1]) return `${both[0]} without a look at the rows`;
  return `${both[0]} by always answering the most frequent class, ${both[1]} by guessing`;
}

function capitalised(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function counted(n, what, many = `${what}s`) {
  return `${whole.format(n)} ${n === 1 ? what : many}`;
}

function shortened(text, longest) {
  const plain = text.replace(/\s+/g, " ").trim() || "(no name)";
  const letters = Array.from(plain);
  return letters.length <= longest ? plain : `${letters.slice(0, longest - 1).join("")}\u2026`;
}

// Plotly interprets some HTML and entities in texts: names must not contain either.
function inPicture(text, longest = 60) {
  const escaped = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "%": "&#37;", $: "&#36;" };
  return shortened(text, longest).replace(/[&<>%$]/g, (letter) => escaped[letter]);
}

function labelsOf(task) {
  const labels = task.labels;
  if (labels.length <= 4) return labels.map((n) => whole.format(n)).join(" / ");
  const [few, many] = [Math.min(...labels), Math.max(...labels)];
  return few === many ? whole.format(few) : `${whole.format(few)} to ${whole.format(many)}`;
}

function labelsText(task) {
  const names = data.about.classes;
  if (names.length > 12) return `Labels per class: ${labelsOf(task)}.`;
  return `Labels: ${names.map((name, j) => `${whole.format(task.labels[j])} of class ${shortened(name, 30)}`).join(", ")}.`;
}

function labelsTitle() {
  const names = data.about.classes;
  if (names.length > 4) return "Labels per class";
  return `Labels: ${names.map((name) => shortened(name, 12)).join(" / ")}`;
}

function isNothing(error) {
  return error < 0.0005; // shown as 0.0 %
}
