// What the pointer is on: the nearest sample, and a note beside it.

const CELLS = 128;
const cellsOfMap = (() => {
  let made = null;
  return () => {
    if (made) return made;
    const cell = (i) => ((samples.y[i] * CELLS) >> 16) * CELLS + ((samples.x[i] * CELLS) >> 16);
    const starts = new Uint32Array(CELLS * CELLS + 1);
    for (let i = 0; i < N; i++) starts[cell(i) + 1]++;
    for (let c = 0; c < CELLS * CELLS; c++) starts[c + 1] += starts[c];
    const next = starts.slice();
    const members = new Uint32Array(N);
    for (let i = 0; i < N; i++) members[next[cell(i)]++] = i;
    return (made = { starts, members });
  };
})();

function pointAt(px, py, reach) {
  const side = Math.min(map.width, map.height) - 2 * MARGIN;
  const left = (map.width - side) / 2, top = (map.height - side) / 2;
  const u = ((px - map.x) / map.scale - left) / side, v = 1 - ((py - map.y) / map.scale - top) / side;
  const around = reach / map.scale / side;
  const inside = (value) => Math.max(0, Math.min(CELLS - 1, Math.floor(value * CELLS)));
  const bounds = (value) => [inside(value - around), inside(value + around)];
  const [fromX, toX] = bounds(u), [fromY, toY] = bounds(v);
  const { starts, members } = cellsOfMap();
  let best = null, least = reach * reach;
  for (let cy = fromY; cy <= toY; cy++) {
    for (let at = starts[cy * CELLS + fromX]; at < starts[cy * CELLS + toX + 1]; at++) {
      const [x, y] = toScreen(members[at]);
      const distance = (x - px) ** 2 + (y - py) ** 2;
      if (distance < least) [best, least] = [members[at], distance];
    }
  }
  return best;
}

function hover(sample, place) {
  const tip = byId("tip");
  if (sample !== map.hover) {
    map.hover = sample;
    map.canvas.classList.toggle("pointing", sample !== null);
    tip.hidden = sample === null;
    if (sample !== null) fill(tip, tipFor(sample));
    showMap();
  }
  if (sample === null) return;
  const [x, y] = place;
  const right = x > map.width * 0.55, low = y > map.height * 0.6;
  tip.style.left = right ? "auto" : `${x + 14}px`;
  tip.style.right = right ? `${map.width - x + 14}px` : "auto";
  tip.style.top = low ? "auto" : `${y + 14}px`;
  tip.style.bottom = low ? `${map.height - y + 14}px` : "auto";
}

function tipFor(sample) {
  const text = textOf(sample);
  const label = labelOf(sample);
  const cluster = partOf(sample);
  return [
    samplePicture(sample, "tip-picture"),
    span("tip-text",
      el("strong", { dir: "auto", text: nameOf(sample) }),
      span("tip-line", mark(cluster), cluster === null ? "no part" : `part ${cluster}`, label !== null && said("", ` · ${label}`)),
      text && said("tip-snippet", text)),
  ];
}
