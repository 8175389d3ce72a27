// The help: how to read the page, and its keys.

const KEYS = [
  ["j k", "next, previous part (also the arrow keys)"],
  ["0 … 9", "the part of that number (digits in quick succession make one number)"],
  ["/", "search"],
  ["Enter", "open what has the focus"],
  ["Esc", "back from a sample, then clear the selection"],
  ["+ − r", "zoom the map, show all of it"],
  ["c", "colour by part, weight or label"],
  ["d", "light or dark"],
  ["?", "this help"],
];

function explanations() {
  const ranked = features && !features.signed;
  const pictured = sampleSheet && sampleSheet.count < N;
  return [
    "A factorisation writes every sample as a mixture of a few parts: X ≈ V Uᵀ. The parts are the rows of " +
      "components_, the mixtures the rows of representation_. Parts and samples are numbered as in Python, from 0.",
    data.model.assign === "kmeans"
      ? "A sample belongs to its k-means cluster; clusters go by the numbers of parts, one to one, so that the samples " +
        "of a cluster have much of its part."
      : data.model.assign === "nearest"
        ? "A sample belongs to the part whose samples its mixture is most like; in most cases it has most of that part."
        : data.model.assign === "graph"
          ? "A sample belongs to the cluster that the graph puts it in, refined by its mixture; in most cases it has most " +
            "of the part of that number."
          : "A sample belongs to the part that it has most of.",
    data.model.about && `${data.model.name}: ${data.model.about}`,
    ranked && "The slider ranks a part's features by r log p(w | part) + (1 − r) log p(w | part) / p(w): on the " +
      "right the heaviest, on the left those that belong to this part and few others. Bars show p(w | part).",
    (data.map
      ? `On the map samples lie where ${data.map} puts them; `
      : "On the map samples lie together when their mixtures are alike (t-SNE of the rows of V); ") +
      "distances between far groups mean little. Wheel or pinch zooms, dragging moves, a click opens a sample.",
    pictured && `${whole(sampleSheet.count)} of ${whole(N)} samples have a picture: the strongest of each part.`,
  ].filter(Boolean);
}

function startHelp() {
  const help = byId("help");
  const key = (name) => (name === "…" ? name : el("kbd", { text: name }));
  fill(help,
    el("h2", { id: "help-title", text: "How to read this page" }),
    explanations().map((text) => el("p", { text })),
    el("dl", { class: "keys" }, KEYS.map(([names, text]) =>
      [el("dt", {}, names.split(" ").map(key)), el("dd", { text })])),
    el("form", { method: "dialog" }, el("button", { class: "primary", text: "Close" })));
  byId("help-open").addEventListener("click", () => help.showModal());
}
