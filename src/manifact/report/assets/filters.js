// Filters: which samples the list shows and the map lights up.

function drawFilters() {
  const partNames = Array.from({ length: K }, (_, part) => `part ${part}`);
  const settings = { id: "filter-words", hidden: true, title: "Show all again" };
  fill(byId("filters"),
    choice("cluster", "Belongs to part", ["any part", ...partNames]),
    labels && choice("label", "Label", ["any label", ...labels.names]),
    leastShare(),
    button("chip", () => set({ words: "" }), settings));
}

// A choice of one of many; the first of them is no choice.
function choice(name, description, texts) {
  const chosen = ({ target: { value } }) => set({ [name]: value === "" ? null : Number(value), sample: null });
  return el("select", { id: `filter-${name}`, "aria-label": description, onchange: chosen },
    texts.map((text, i) => el("option", { value: i ? i - 1 : "", text })));
}

function leastShare() {
  const meaning = "Least share of the part in the sample";
  const moved = later((event) => set({ least: Number(event.target.value), sample: null }), 60);
  const range = { id: "filter-least", type: "range", min: 0, max: 0.95, step: 0.05, value: 0 };
  return el("label", { class: "slider", title: meaning },
    span("", "≥"),
    el("input", { ...range, "aria-label": meaning, oninput: moved }),
    el("output", { id: "least-value", text: "0 %" }));
}

function updateFilters() {
  byId("filter-cluster").value = state.cluster ?? "";
  if (labels) byId("filter-label").value = state.label ?? "";
  byId("filter-least").value = state.least;
  byId("least-value").textContent = `${Math.round(state.least * 100)} %`;
  byId("filter-words").hidden = !state.words;
  byId("filter-words").textContent = `“${state.words}” ×`;
}
