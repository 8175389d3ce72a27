// How the fit went: the objective, the graph, the parts side by side, agreement with classes, how it was made.

function drawQuality() {
  const rows = [
    [objectiveSheet(), graphSheet(), agreementSheet()],
    [partsSheet(), confusionSheet()],
    [
      pairsSheet("Parameters", data.parameters, "table-sheet"),
      pairsSheet("Preparation", data.preparation, ""),
      pairsSheet("Versions", data.versions, ""),
    ],
  ];
  fill(byId("sheets"), rows.map((row) => el("div", { class: "sheets" }, row)));
}

function panel(title, className, ...children) {
  return el("section", { class: `sheet ${className}` }, el("h3", { text: title }), children);
}

function figure(value, name, hint) {
  const lines = [span("figure-value", value), span("figure-name", name), span("figure-hint", hint)];
  return el("div", { class: "figure" }, lines);
}

const note = (text) => el("p", { class: "soft", text });

function graphSheet() {
  const { graph, model } = data;
  if (!graph) return null;
  const within = graph.purity === null ? "–" : percent(graph.purity);
  const built = model.graph ? [model.graph] : [];
  const edges = graph.edges === null ? [] : [`${whole(graph.edges)} edges`];
  const isolated = graph.isolated ? [`${whole(graph.isolated)} samples without neighbours`] : [];
  const itself = "share of the edge weight between samples of one label: what the graph itself knows";
  return panel("Graph", "",
    figure(compact(model.smoothness), "smoothness", "Tr(VᵀLV) / Tr(VᵀDV): 0 where neighbours have the same weights"),
    figure(within, "stays within parts", "share of the edge weight between samples of one part"),
    graph.classes !== null && figure(percent(graph.classes), "stays within classes", itself),
    note([...built, ...edges, ...isolated].join(", ")));
}

function agreementSheet() {
  const { agreement } = data;
  if (!agreement) return null;
  const matched = "samples whose cluster is their class, under the best one-to-one map";
  const shared = "mutual information over the larger entropy: 1 where clusters are the classes";
  return panel("Agreement with labels", "",
    figure(tenths(agreement.accuracy), "accuracy", matched),
    figure(agreement.nmi.toFixed(3), "NMI", shared),
    agreement.known < N && note(`${whole(agreement.known)} of ${whole(N)} samples have a label.`));
}

function pairsSheet(title, pairs, className) {
  if (!pairs.length) return null;
  return panel(title, className, el("dl", { class: "plain" }, pairs.map(([name, value]) =>
    el("div", {}, el("dt", { text: name }), el("dd", { text: value, dir: "auto" })))));
}
