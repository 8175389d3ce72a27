// One sample in full: its weights, its neighbours.

function showSample(sample) {
  selectSample(sample);
  if (narrow()) reveal(byId("samples-title"));
}

// The sample that was open before: the list comes back where it was left.
let lastOpen = null;

function drawDetail() {
  const { sample } = state;
  const detail = byId("detail");
  const open = sample !== null;
  const held = byId("samples").contains(document.activeElement);
  detail.hidden = !open;
  for (const id of ["list", "filters", "samples-count"]) byId(id).hidden = open;
  if (open) {
    byId("samples-title").textContent = samples.names ? "Sample" : `Sample ${sample}`;
    fill(detail, detailOf(sample));
    detail.scrollTop = 0;
    if (held) detail.querySelector(".back").focus({ preventScroll: true });
  } else {
    detail.replaceChildren();
    drawList();
    const at = lastOpen === null ? -1 : shown.indexOf(lastOpen);
    if (at >= 0) list.reveal(at, held);
  }
  lastOpen = sample;
}

function detailOf(sample) {
  const label = labelOf(sample);
  const cluster = partOf(sample);
  const text = textOf(sample);
  const back = state.part !== null ? `Part ${state.part}` : "all samples";
  return [
    button("back", () => set({ sample: null }), {}, `‹ ${back}`),
    el("div", { class: "who" },
      samplePicture(sample, "portrait"),
      el("div", {},
        samples.names && el("h3", { dir: "auto", text: nameOf(sample) }),
        el("dl", { class: "pairs" },
          samples.names && [el("dt", { text: "Number" }), el("dd", { text: sample })],
          el("dt", { text: "Belongs to" }), el("dd", {}, cluster === null ? "no part" : partLink(cluster)),
          label !== null && [el("dt", { text: "Label" }), el("dd", { dir: "auto", text: label })]))),
    text && samples.texts && el("p", { class: "quote", dir: "auto", text }),
    text && !samples.texts && el("p", { class: "quote soft", dir: "auto", text: `Strongest: ${text}` }),
    el("h4", { text: "Weights" }),
    weightRows(sample),
    el("h4", { text: samples.neighbours.source === "graph" ? "Neighbours in the graph" : "Samples most alike" }),
    neighbourRows(sample),
  ];
}

const partLink = (part) => button("link", () => selectPart(part), {}, mark(part), `Part ${part}`);

function weightRows(sample) {
  const found = weightsOf(sample).filter(({ share }) => share >= 0.005);
  const total = samples.weights.total[sample];
  if (!found.length) return el("p", { class: "nothing", text: "This sample has no weight in any part." });
  return el("div", { class: "weights" }, found.slice(0, 12).map(({ part, share }) =>
    button("weight", () => selectPart(part), { title: `V[${sample}, ${part}] = ${compact(share * total)}` },
      mark(part), span("weight-name", part), bar(share), span("weight-value", percent(share)))));
}

function neighbourRows(sample) {
  const found = neighboursOf(sample);
  if (!found.length) return el("p", { class: "nothing", text: "It has no neighbours." });
  if (sampleSheet) {
    return el("div", { class: "near-tiles" }, found.map(({ sample: other }) =>
      thumb(other, () => selectSample(other), span("under", mark(partOf(other)), labelOf(other) ?? other))));
  }
  return el("div", { class: "near" }, found.map(({ sample: other, weight }) =>
    button("entry", () => selectSample(other), { "data-sample": other, title: `affinity ${compact(weight)}` },
      span("entry-head", entryName(other)),
      textOf(other) && said("entry-text", textOf(other)))));
}
