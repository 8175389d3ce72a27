// Labels of the map: what a part is about stands where its samples are, in as many words as there is room for.

const WORDS = 3;
const LONGEST_WORD = 18;
const LABEL_FONT = 12;
const LABEL_LINE = 15;
const TILE = 34;
// Between a label and the middle of its samples, and between two labels.
const AWAY = 7;
const BETWEEN = 3;

const shownLabels = new Map();
const measured = new Map();

function widthOf(text) {
  if (!measured.has(text)) {
    const context = map.base.getContext("2d");
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.font = `600 ${LABEL_FONT}px ${css("--sans")}`;
    measured.set(text, context.measureText(text).width);
    context.restore();
  }
  return measured.get(text);
}

function shortened(word) {
  const letters = Array.from(word);
  return letters.length > LONGEST_WORD ? `${letters.slice(0, LONGEST_WORD - 1).join("")}…` : word;
}

function wordsOf(part) {
  if (!features || !features.names) return [];
  return topFeatures(part, state.lambda, WORDS).map((found) => shortened(signedName(found)));
}

// What may stand there, most telling first; the number of the part at the least.
function labelChoices(part) {
  const words = wordsOf(part);
  const choices = [];
  for (let many = words.length; many > 0; many--) {
    const rest = words.slice(1, many).join(", ");
    const lines = [`${part} ${words[0]}`, ...(rest ? [rest] : [])];
    choices.push({ words: words.slice(0, many), width: Math.max(...lines.map(widthOf)), height: LABEL_LINE * lines.length });
  }
  const number = { words: [], width: widthOf(String(part)), height: LABEL_LINE };
  if (partSheet) choices.push({ ...number, tile: true, width: Math.max(TILE, number.width), height: LABEL_LINE + TILE });
  choices.push(number);
  return choices.map((choice) => ({ ...choice, width: Math.ceil(choice.width) + 4 }));
}

// Boxes of a size around a point: above first, since it must not hide its samples.
function placesAround(x, y, width, height) {
  const near = [-height - AWAY, AWAY];
  return [
    ...near.map((dy) => [-width / 2, dy]),
    [AWAY, -height / 2],
    [-width - AWAY, -height / 2],
    ...near.flatMap((dy) => [[AWAY, dy], [-width - AWAY, dy]]),
    ...near.map((dy) => [-width / 2, 2.4 * dy]),
  ].map(([dx, dy]) => inStage({ left: x + dx, top: y + dy, width, height }));
}

function inStage({ left, top, width, height }) {
  const within = (value, most) => Math.max(2, Math.min(most - 2, value));
  return { left: within(left, map.width - width), top: within(top, map.height - height), width, height };
}

const meet = (a, b) =>
  a.left < b.left + b.width + BETWEEN && b.left < a.left + a.width + BETWEEN &&
  a.top < b.top + b.height + BETWEEN && b.top < a.top + a.height + BETWEEN;

// Large clusters first, the selected one before all; nobody takes the place of another's number, and whoever finds no
// place of its own has none until the map is zoomed.
function placedLabels() {
  const visible = ([x, y]) => x > 0 && y > 0 && x < map.width && y < map.height;
  const spots = middles().map(({ part, sample }) => ({ part, at: toScreen(sample) })).filter(({ at }) => visible(at));
  spots.sort((a, b) => (b.part === state.part) - (a.part === state.part) || parts.size[b.part] - parts.size[a.part]);
  const waiting = new Map(spots.map(({ part, at: [x, y] }) => {
    const width = widthOf(String(part)) + 4;
    return [part, placesAround(x, y, width, LABEL_LINE)[0]];
  }));
  const zoom = document.querySelector(".zoom");
  const taken = [{ left: zoom.offsetLeft, top: zoom.offsetTop, width: zoom.offsetWidth, height: zoom.offsetHeight }];
  const placed = [];
  for (const { part, at: [x, y] } of spots) {
    waiting.delete(part);
    const found = firstFree(labelChoices(part), x, y, [...taken, ...waiting.values()]);
    if (!found) continue;
    taken.push(found.box);
    placed.push({ part, ...found });
  }
  return placed;
}

function firstFree(choices, x, y, taken) {
  for (const choice of choices) {
    for (const box of placesAround(x, y, choice.width, choice.height)) {
      if (!taken.some((other) => meet(box, other))) return { box, choice };
    }
  }
  return null;
}

function showLabels() {
  const placed = state.colour === "label" ? [] : placedLabels();
  const wanted = new Set(placed.map(({ part }) => part));
  for (const [part, { element }] of shownLabels) {
    if (wanted.has(part)) continue;
    element.remove();
    shownLabels.delete(part);
  }
  for (const { part, box, choice } of placed) {
    const element = labelElement(part, choice);
    element.style.width = `${box.width}px`;
    element.style.transform = `translate(${box.left.toFixed(1)}px, ${box.top.toFixed(1)}px)`;
    element.classList.toggle("other", state.cluster !== null && state.cluster !== part);
  }
}

// Made anew only where its words change.
function labelElement(part, { words, tile = false }) {
  const key = JSON.stringify([words, tile]);
  const known = shownLabels.get(part);
  if (known && known.key === key) return known.element;
  if (known) known.element.remove();
  const [first, ...rest] = words;
  const element = el("span", { class: "map-label", "data-label": part },
    span("label-line", span("label-number", part), first === undefined ? null : [" ", said("label-word", first)]),
    rest.length ? span("label-line", rest.flatMap((word, i) => [i ? ", " : null, said("label-word", word)])) : null,
    tile ? picture(partSheet, part, "", "map-tile") : null);
  byId("map-labels").append(element);
  shownLabels.set(part, { key, element });
  return element;
}
