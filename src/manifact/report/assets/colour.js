// Colours and shapes of groups: eight hues that colour-blind eyes tell apart, five shapes, so that forty groups differ.

const HUES = {
  light: ["#2a6fad", "#cf5a0e", "#12866a", "#b8578f", "#b98500", "#3f9bc9", "#74304f", "#6d7235"],
  dark: ["#6fb1e8", "#f08a4b", "#4cc3a0", "#e08fc0", "#e6bd4a", "#9ad7f5", "#c98aa8", "#b9bf7c"],
};
const SHAPES = ["circle", "square", "triangle", "diamond", "cross"];

const isDark = () => document.documentElement.dataset.theme === "dark";
const hueOf = (group) => HUES[isDark() ? "dark" : "light"][group % 8];
const shapeOf = (group) => SHAPES[Math.floor(group / 8) % SHAPES.length];

// Of what belongs to no group.
const grey = () => (isDark() ? "#6b7278" : "#a9a69e");

// Weight 0 to 1, pale to strong: lightness alone carries it.
function heat(value) {
  const t = Math.sqrt(Math.max(0, Math.min(1, value)));
  const [from, to] = isDark() ? [[52, 60, 68], [255, 214, 130]] : [[223, 221, 214], [20, 62, 104]];
  return `rgb(${from.map((start, i) => Math.round(start + t * (to[i] - start))).join(",")})`;
}

// Corners of shapes, in radii from their middle.
const CORNERS = {
  triangle: [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]],
  diamond: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
  cross: [
    [-0.42, -1.15], [0.42, -1.15], [0.42, -0.42], [1.15, -0.42], [1.15, 0.42], [0.42, 0.42],
    [0.42, 1.15], [-0.42, 1.15], [-0.42, 0.42], [-1.15, 0.42], [-1.15, -0.42], [-0.42, -0.42],
  ],
};

// The outline of a shape around a point, for canvas.
function trace(context, shape, x, y, r) {
  context.beginPath();
  if (shape === "circle") context.arc(x, y, r, 0, 2 * Math.PI);
  else if (shape === "square") context.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
  else {
    CORNERS[shape].forEach(([dx, dy], i) => context[i ? "lineTo" : "moveTo"](x + dx * r, y + dy * r));
    context.closePath();
  }
}

// The mark of a group, beside its name.
const MARKS = {
  circle: { tag: "circle", cx: 6, cy: 6, r: 4.4 },
  square: { tag: "rect", x: 2, y: 2, width: 8, height: 8 },
  triangle: { tag: "path", d: "M6 1 11 10 1 10z" },
  diamond: { tag: "path", d: "M6 .6 11.4 6 6 11.4 .6 6z" },
  cross: { tag: "path", d: "M4.2 1h3.6v3.2H11v3.6H7.8V11H4.2V7.8H1V4.2h3.2z" },
};

function mark(group) {
  if (group === null) {
    return svg("svg", { class: "mark", viewBox: "0 0 12 12", "aria-hidden": "true" },
      svg("circle", { cx: 6, cy: 6, r: 3.5, fill: "#8a8d8a" }));
  }
  const { tag, ...shape } = MARKS[shapeOf(group)];
  const figure = svg(tag, { ...shape, fill: hueOf(group) });
  figure.dataset.group = group;
  return svg("svg", { class: "mark", viewBox: "0 0 12 12", "aria-hidden": "true" }, figure);
}

function repaintMarks() {
  for (const figure of document.querySelectorAll("[data-group]")) {
    if (figure.namespaceURI.endsWith("svg")) figure.setAttribute("fill", hueOf(Number(figure.dataset.group)));
    else figure.style.background = hueOf(Number(figure.dataset.group));
  }
}
