// What is selected: one place that everything reads, and that tells everybody when it changes.

const state = {
  part: null,
  sample: null,
  // Filters of the list: the cluster, the class, the least share of the part, words in name or text.
  cluster: null,
  label: null,
  least: 0,
  words: "",
  // A feature that was searched for, marked where it is shown.
  feature: null,
  lambda: features ? features.relevance : 1,
  colour: "cluster",
};
const listeners = [];
const watch = (listener) => listeners.push(listener);

function set(changes) {
  const changed = new Set();
  for (const [name, value] of Object.entries(changes)) {
    if (state[name] !== value) changed.add(name);
    state[name] = value;
  }
  if (!changed.size) return;
  for (const listener of listeners) listener(changed);
  if (changed.has("part") || changed.has("sample")) writeHash();
}

function selectPart(part, extra = {}) {
  set({ part, cluster: part, sample: null, words: "", ...extra });
}

function selectSample(sample) {
  set({ sample });
}

// Esc: from the sample back to the list, from the list to everything.
function clearSelection() {
  if (state.sample !== null) set({ sample: null });
  else set({ part: null, cluster: null, label: null, least: 0, words: "", feature: null });
}

function writeHash() {
  const wanted = ["part", "sample"].filter((name) => state[name] !== null).map((name) => `${name}=${state[name]}`);
  const hash = wanted.join("&");
  if (location.hash.slice(1) === hash) return;
  if (hash) location.hash = hash;
  else history.replaceState(null, "", location.href.split("#")[0]);
}

function readHash() {
  const found = new Map(location.hash.slice(1).split("&").map((pair) => pair.split("=")));
  const read = (name, count) => {
    const text = found.get(name);
    return text && /^\d+$/.test(text) && Number(text) < count ? Number(text) : null;
  };
  if (location.hash && !found.has("part") && !found.has("sample")) return;
  const part = read("part", K);
  const sample = read("sample", N);
  if (part === state.part && sample === state.sample) return;
  set({ sample, ...(part === state.part ? {} : { part, cluster: part }) });
}
