// The objective as a curve, on a linear or a logarithmic scale.

function objectiveSheet() {
  const { iteration, value } = data.objective;
  const points = iteration.map((x, i) => [x, value[i]]).filter(([, y]) => y !== null);
  if (points.length < 2) return null;
  const positive = points.every(([, y]) => y > 0);
  const values = points.map(([, y]) => y);
  // A first step that dwarfs the others would hide them.
  const first = positive && Math.max(...values) > 50 * Math.min(...values) ? "log" : "linear";
  const box = el("div", { class: "plot" });
  const buttons = ["linear", "log"].map((kind) => {
    const settings = { "aria-pressed": String(kind === first), disabled: kind === "log" && !positive };
    return button("", () => choose(kind), settings, kind);
  });
  const choose = (kind) => {
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.textContent === kind)));
    fill(box, curve(points, kind === "log"));
  };
  fill(box, curve(points, first === "log"));
  const scale = el("div", { class: "segments", role: "group", "aria-label": "Scale" }, buttons);
  return el("section", { class: "sheet objective" },
    el("div", { class: "sheet-head" }, el("h3", { text: "Objective" }), scale),
    box,
    el("p", { class: "soft", text: `${course(points)}.` }));
}

function course(points) {
  const [iterations, last] = points[points.length - 1];
  return `From ${compact(points[0][1])} to ${compact(last)} in ${whole(iterations)} iterations`;
}

function curve(points, log) {
  const [width, height, left, right, top, bottom] = [460, 220, 58, 10, 10, 28];
  const scaled = log ? points.map(([x, y]) => [x, Math.log10(y)]) : points;
  const ys = scaled.map(([, y]) => y);
  let [low, high] = [Math.min(...ys), Math.max(...ys)];
  if (high === low) [low, high] = [low - 0.5, high + 0.5];
  const far = points[points.length - 1][0] || 1;
  const px = (x) => left + (x / far) * (width - left - right);
  const py = (y) => top + ((high - y) / (high - low)) * (height - top - bottom);
  const line = scaled.map(([x, y], i) => `${i ? "L" : "M"}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("");
  const yTicks = ticks(low, high, 4).map((y) => [
    svg("line", { class: "grid", x1: left, x2: width - right, y1: py(y), y2: py(y) }),
    label(left - 8, py(y) + 4, compact(log ? 10 ** y : y), "end"),
  ]);
  const xTicks = ticks(0, far, 5).filter(Number.isInteger).map((x) => label(px(x), height - 8, whole(x), "middle"));
  const dot = svg("circle", { class: "dot", r: 0 });
  const note = label(width - right, top + 10, "", "end");
  const settings = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Objective: ${course(points)}` };
  const drawn = svg("svg", settings,
    yTicks, xTicks, svg("path", { class: "curve", d: line }), dot, note);
  drawn.addEventListener("pointermove", (event) => {
    const at = ((event.clientX - drawn.getBoundingClientRect().left) / drawn.getBoundingClientRect().width) * width;
    const wanted = ((at - left) / (width - left - right)) * far;
    let best = 0;
    points.forEach(([x], i) => (Math.abs(x - wanted) < Math.abs(points[best][0] - wanted) ? (best = i) : 0));
    dot.setAttribute("r", 4);
    dot.setAttribute("cx", px(points[best][0]));
    dot.setAttribute("cy", py(scaled[best][1]));
    note.textContent = `iteration ${points[best][0]}: ${compact(points[best][1])}`;
  });
  return drawn;
}

function label(x, y, text, anchor) {
  return svg("text", { x, y, "text-anchor": anchor }, text);
}

function ticks(low, high, about) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high + 1e-12 * step; at++) found.push(at * step);
  return found;
}
