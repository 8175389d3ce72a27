// Tables: the parts side by side, and the labels in them.

function scrolling(description, table) {
  return el("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": description }, table);
}

function partsSheet() {
  const { graph, agreement } = data;
  const heads = ["Part", "Samples", "Share of weight", graph && "Edges within", agreement && "Mostly"].filter(Boolean);
  const head = el("tr", {}, heads.map((text) => el("th", { scope: "col", text })));
  const rows = parts.size.map((_, part) => el("tr", {}, partCells(part)));
  const table = el("table", { class: "parts-table" }, el("thead", {}, head), el("tbody", {}, rows));
  return panel("Parts side by side", "table-sheet", scrolling("Parts side by side", table));
}

function partCells(part) {
  const measure = (share, text) => el("td", {}, span("measure", bar(share), span("", text)));
  const largest = Math.max(...parts.size, 1), heaviest = Math.max(...parts.share, 1e-30);
  const within = data.graph && data.graph.each[part];
  const majority = majorityOf(part);
  return [
    el("th", { scope: "row" }, partLink(part)),
    measure(parts.size[part] / largest, whole(parts.size[part])),
    measure(parts.share[part] / heaviest, percent(parts.share[part])),
    data.graph && measure(within ?? 0, within === null ? "–" : percent(within)),
    data.agreement && el("td", { class: "mostly" },
      majority ? [said("", majority.name), " ", el("small", { text: percent(majority.share) })] : "–"),
  ];
}

const MOST_CLASSES = 60;
const MOST_COLUMNS = 80;

// Never a middle tone, on which neither dark nor light figures can be read.
const heatOf = (share) => `${Math.round(share > 0.5 ? 85 + 30 * (share - 0.5) : 84 * share)}%`;

// Classes in rows, parts in columns, parts in the order of their majority class: agreement is the diagonal.
function confusionSheet() {
  const { agreement } = data;
  if (!agreement || K > MOST_COLUMNS) return null;
  const { counts: table } = agreement;
  const main = (part) => table.reduce((best, row, label) => (row[part] > table[best][part] ? label : best), 0);
  const columns = Array.from({ length: K }, (_, part) => part).sort((a, b) => main(a) - main(b) || a - b);
  const heads = columns.map((part) =>
    el("th", { scope: "col" }, button("link", () => selectPart(part), { title: `Part ${part}` }, part)));
  const rows = table.slice(0, MOST_CLASSES).map((row, label) => confusionRow(row, labels.names[label], columns));
  return panel("Labels in parts", K > 16 ? "wide-sheet" : "matrix-sheet",
    scrolling("Labels in parts", el("table", { class: "confusion" },
      el("thead", {}, el("tr", {}, el("td", {}), heads)), el("tbody", {}, rows))),
    table.length > MOST_CLASSES && note(`The first ${MOST_CLASSES} of ${table.length} labels.`));
}

function confusionRow(row, name, columns) {
  const total = row.reduce((sum, count) => sum + count, 0) || 1;
  return el("tr", {}, el("th", { scope: "row", dir: "auto", text: name, title: name }), columns.map((part) => {
    const share = row[part] / total;
    const title = `${name} in part ${part}: ${whole(row[part])} (${percent(share)})`;
    const settings = { class: share > 0.5 ? "strong" : "", style: { "--heat": heatOf(share) }, title };
    return el("td", settings, row[part] ? whole(row[part]) : "");
  }));
}
