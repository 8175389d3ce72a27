// The map: every sample a point; what is not selected steps back instead of changing its colour.

const map = {
  canvas: byId("map"),
  // The points alone, without what the pointer is on.
  base: el("canvas"),
  width: 0,
  height: 0,
  ratio: 1,
  // Where it is: zoom, and the place of its corner.
  scale: 1,
  x: 0,
  y: 0,
  hover: null,
  order: null,
  stamps: new Map(),
  // A frame is asked for; the points are to be painted anew; a hand moves it.
  due: false,
  stale: true,
  moving: false,
};
const MOST_ZOOM = 60;
const MARGIN = 22;
// While it moves, a map of very many samples shows so many of them.
const MOVING = 12000;

// From the numbers of the data to points of the canvas: x ↦ left + step x, y ↦ bottom − step y.
function frame() {
  const side = Math.min(map.width, map.height) - 2 * MARGIN;
  const left = ((map.width - side) / 2) * map.scale + map.x, bottom = ((map.height + side) / 2) * map.scale + map.y;
  return { left, bottom, step: (side * map.scale) / 65535 };
}

function toScreen(i) {
  const { left, bottom, step } = frame();
  return [left + samples.x[i] * step, bottom - samples.y[i] * step];
}

function startMap() {
  drawColourChoice();
  new ResizeObserver(resizeMap).observe(byId("stage"));
  resizeMap();
  watch((changed) => {
    if (["part", "sample", "cluster", "label", "least", "words", "colour", "lambda"].some((name) => changed.has(name))) drawMap();
    if (changed.has("colour") || changed.has("part") || changed.has("label")) drawLegend();
  });
  drawLegend();
  listenToMap();
}

// A canvas that gets a size is empty: it is painted in the same frame, or the map would be gone for one.
function resizeMap() {
  const box = byId("stage").getBoundingClientRect();
  map.ratio = Math.min(2, window.devicePixelRatio || 1);
  map.width = Math.max(1, box.width);
  map.height = Math.max(1, box.height);
  for (const canvas of [map.canvas, map.base]) {
    canvas.width = Math.round(map.width * map.ratio);
    canvas.height = Math.round(map.height * map.ratio);
  }
  map.stale = true;
  putOnScreen();
}

function drawMap() {
  map.stale = true;
  showMap();
}

function moveMap() {
  map.moving = N > MOVING;
  drawMap();
  if (map.moving) rest();
}

const rest = later(() => {
  map.moving = false;
  drawMap();
}, 140);

// The points are painted on a canvas of their own: what the pointer is on comes on top and costs nothing.
function showMap() {
  if (map.due) return;
  map.due = true;
  requestAnimationFrame(() => {
    map.due = false;
    putOnScreen();
  });
}

function putOnScreen() {
  if (map.stale) paint();
  map.stale = false;
  const context = map.canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, map.canvas.width, map.canvas.height);
  context.drawImage(map.base, 0, 0);
  context.setTransform(map.ratio, 0, 0, map.ratio, 0, 0);
  if (map.hover !== null) ring(context, map.hover, radius() + 3, 1.5);
}

const groupOf = (i) => (state.colour === "label" ? (labels.of[i] === UNKNOWN ? -1 : labels.of[i]) : partOf(i) ?? -1);

function radius() {
  const base = N > 20000 ? 1.3 : N > 5000 ? 1.8 : N > 1200 ? 2.9 : N > 200 ? 3.8 : 5;
  return base * Math.min(2.6, Math.pow(map.scale, 0.4));
}

// A point drawn once and stamped many times: fifty thousand of them in a few milliseconds.
function stamp(colour, shape, r) {
  const key = `${colour} ${shape} ${r.toFixed(2)} ${map.ratio}`;
  if (map.stamps.has(key)) return map.stamps.get(key);
  if (map.stamps.size > 400) map.stamps.clear();
  const side = Math.ceil((2 * r * 1.3 + 2) * map.ratio);
  const made = el("canvas", { width: side, height: side });
  const context = made.getContext("2d");
  context.scale(map.ratio, map.ratio);
  context.fillStyle = colour;
  trace(context, shape, side / map.ratio / 2, side / map.ratio / 2, r);
  context.fill();
  map.stamps.set(key, made);
  return made;
}

// What a sample looks like: the number of its stamp, and the stamp of a number.
const LEVELS = 24;
const weighing = () => state.colour === "weight" && state.part !== null;
const lookOf = (i) => (weighing() ? Math.round(shareOf(i, state.part) * LEVELS) : groupOf(i) + 1);

function stampOf(look, r) {
  if (weighing()) return stamp(heat(look / LEVELS), "circle", r);
  if (look === 0) return stamp(grey(), "circle", 0.8 * r);
  return stamp(hueOf(look - 1), shapeOf(look - 1), r);
}

// In an order that mixes groups, so that none hides another for being last.
function drawingOrder() {
  if (map.order) return map.order;
  const order = Uint32Array.from({ length: N }, (_, i) => i);
  let seed = 12345;
  for (let i = N - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = seed % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return (map.order = order);
}

function paint() {
  const context = map.base.getContext("2d");
  context.setTransform(map.ratio, 0, 0, map.ratio, 0, 0);
  context.clearRect(0, 0, map.width, map.height);
  const r = radius();
  const chosen = weighing() ? null : chosenSamples();
  const shade = N > 20000 ? 0.75 : 0.88;
  if (chosen) paintPoints(context, r, N > 5000 ? 0.07 : 0.13, (i) => !chosen[i]);
  paintPoints(context, r, shade, chosen ? (i) => chosen[i] : () => true);
  showLabels();
  if (state.sample !== null) paintSample(context, state.sample, r);
}

function paintPoints(context, r, shade, wanted) {
  const { left, bottom, step } = frame();
  const stamps = [];
  context.globalAlpha = shade;
  const order = map.moving ? drawingOrder().subarray(0, MOVING) : drawingOrder();
  for (const i of order) {
    const x = left + samples.x[i] * step, y = bottom - samples.y[i] * step;
    if (x < -9 || y < -9 || x > map.width + 9 || y > map.height + 9 || !wanted(i)) continue;
    const look = lookOf(i);
    const point = (stamps[look] ??= stampOf(look, r));
    const size = point.width / map.ratio;
    context.drawImage(point, x - size / 2, y - size / 2, size, size);
  }
  context.globalAlpha = 1;
}

// 1 for the samples that the filters let through; null where they let all through.
function chosenSamples() {
  const { cluster, label, least, words } = state;
  if (cluster === null && label === null && least === 0 && !words) return null;
  const chosen = new Uint8Array(N);
  for (const i of filtered()) chosen[i] = 1;
  return chosen;
}

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The sample in the middle of each part's.
const middles = (() => {
  let made = null;
  return () => {
    if (made) return made;
    made = [];
    for (let part = 0; part < K; part++) {
      const members = membersOf(part);
      if (!members.length) continue;
      const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
      const x = median(members.map((i) => samples.x[i])), y = median(members.map((i) => samples.y[i]));
      let best = members[0], least = Infinity;
      for (const i of members) {
        const distance = (samples.x[i] - x) ** 2 + (samples.y[i] - y) ** 2;
        if (distance < least) [best, least] = [i, distance];
      }
      made.push({ part, sample: best });
    }
    return made;
  };
})();

function paintSample(context, sample, r) {
  const [x, y] = toScreen(sample);
  context.strokeStyle = css("--ink");
  context.globalAlpha = 0.5;
  context.lineWidth = 1;
  for (const { sample: other } of neighboursOf(sample)) {
    const [u, v] = toScreen(other);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(u, v);
    context.stroke();
  }
  context.globalAlpha = 1;
  for (const i of [...neighboursOf(sample).map((found) => found.sample), sample]) {
    const point = stampOf(lookOf(i), r);
    const [u, v] = toScreen(i);
    const half = point.width / map.ratio / 2;
    context.drawImage(point, u - half, v - half, 2 * half, 2 * half);
  }
  ring(context, sample, r + 4, 2.5);
}

function ring(context, sample, r, width) {
  const [x, y] = toScreen(sample);
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.lineWidth = width + 2;
  context.strokeStyle = css("--panel");
  context.stroke();
  context.lineWidth = width;
  context.strokeStyle = css("--ink");
  context.stroke();
}
