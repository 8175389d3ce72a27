// Samples: the list that the filters let through, and one sample in full.

let list = null;
let shown = [];

function startSamples() {
  list = virtualList(byId("list"), { label: "Samples" });
  drawFilters();
  byId("list").addEventListener("keydown", moveInList);
  watch((changed) => {
    if (["part", "cluster", "label", "least", "words"].some((name) => changed.has(name))) drawList();
    if (changed.has("sample")) drawDetail();
  });
  drawList();
  drawDetail();
}

// ---- the list -----------------------------------------------------------------------------------------------------

// The list and the map ask for the same.
const filtered = (() => {
  let of = null, made = null;
  return () => {
    const { part, cluster, label, least, words } = state;
    const wanted = JSON.stringify([part, cluster, label, least, words]);
    if (of !== wanted) [of, made] = [wanted, passing()];
    return made;
  };
})();

function passing() {
  const { part, cluster, label, least, words } = state;
  let found = cluster !== null ? membersOf(cluster) : part !== null ? byWeightOfAll(part) : inOrder();
  if (cluster !== null && part !== null && part !== cluster) found = byWeight(found.slice(), part);
  if (label !== null) found = found.filter((i) => labels.of[i] === label);
  if (least > 0) found = found.filter((i) => shareOf(i, part === null ? partOf(i) : part) >= least);
  if (words) {
    const wanted = words.toLowerCase();
    const texts = searchable();
    found = found.filter((i) => texts[i].includes(wanted));
  }
  return found;
}

const byWeightOfAll = (() => {
  let of = null, made = null;
  return (part) => {
    if (of !== part) [of, made] = [part, byWeight(Array.from({ length: N }, (_, i) => i), part)];
    return made;
  };
})();

// Without a selection: the parts in turn, each with its strongest samples first, then what belongs to none.
const inOrder = (() => {
  let made = null;
  return () => (made ??= Array.from({ length: K }, (_, part) => membersOf(part)).flat().concat(unplaced()));
})();

const unplaced = () => Array.from({ length: N }, (_, i) => i).filter((i) => partOf(i) === null);

function drawList() {
  shown = filtered();
  const part = state.part ?? state.cluster;
  byId("samples-title").textContent = part === null ? "Samples" : `Part ${part}`;
  byId("samples-count").textContent = `${whole(shown.length)} ${shown.length === 1 ? "sample" : "samples"}`;
  updateFilters();
  list.set(shown, sampleSheet ? tiles() : rows());
  byId("list").classList.toggle("empty", !shown.length);
  if (!shown.length) byId("list").firstChild.replaceChildren(el("p", { class: "nothing", text: emptyReason() }));
}

function emptyReason() {
  const narrowed = state.label !== null || state.least > 0 || state.words;
  return narrowed ? "No sample passes these filters." : "No sample has this part as its own: it only adds to others.";
}

const tiles = () => ({
  height: 88,
  columns: (width) => Math.floor((width - 12) / 72),
  render: (sample) => {
    const under = labelOf(sample) ?? (samples.names ? nameOf(sample) : sample);
    return el("div", { class: "tile" }, thumb(sample, () => showSample(sample), said("under", under)));
  },
});

function thumb(sample, action, under) {
  const settings = { "data-sample": sample, title: caption(sample), "aria-label": caption(sample) };
  const shown = samplePicture(sample) || el("span", { class: "blank", "aria-hidden": "true", text: "·" });
  return button("thumb", action, settings, shown, under);
}

function rows() {
  const long = Boolean(samples.texts || samples.leading);
  return {
    height: long ? 84 : 40,
    columns: () => 1,
    render: (sample) => {
      const weight = entryWeight(sample, state.part ?? partOf(sample));
      const content = [span("entry-head", entryName(sample), weight), long && said("entry-text", textOf(sample))];
      const entry = button("entry", () => showSample(sample), { "data-sample": sample }, content);
      return el("div", { class: "line" }, entry);
    },
  };
}

function entryName(sample) {
  const label = labelOf(sample);
  return [mark(partOf(sample)), said("entry-name", nameOf(sample)), label !== null && said("tag", label)];
}

function entryWeight(sample, part) {
  if (part === null) return null;
  const weight = weightOf(sample, part);
  const title = `weight of part ${part}: ${compact(weight)}, ${percent(shareOf(sample, part))} of the sample`;
  return el("span", { class: "entry-weight", title }, bar(weight / heaviestOf(part)), span("value", compact(weight)));
}

function caption(sample) {
  const label = labelOf(sample);
  const part = state.part ?? partOf(sample);
  const share = part === null ? "no part" : `${percent(shareOf(sample, part))} part ${part}`;
  return `${nameOf(sample)}${label === null ? "" : `, ${label}`}: ${share}`;
}

function moveInList(event) {
  const step = { ArrowDown: list.across(), ArrowUp: -list.across(), ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const held = event.target.closest("[data-sample]");
  if (!step || !held) return;
  if (list.across() === 1 && Math.abs(step) === 1 && event.key.endsWith("t") && event.key !== "ArrowUp") return;
  event.preventDefault();
  event.stopPropagation();
  const at = shown.indexOf(Number(held.dataset.sample)) + step;
  if (at >= 0 && at < shown.length) list.reveal(at, true);
}
