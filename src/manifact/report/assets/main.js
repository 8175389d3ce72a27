// The page as a whole: head, light and dark, and the order in which things start.

function drawHead() {
  const { model } = data;
  byId("title").textContent = data.title;
  byId("kicker").textContent = model.name;
  const ended = model.converged === null ? "" : model.converged ? "converged" : "not converged";
  const facts = [
    ["Samples × features", `${whole(counts.samples)} × ${whole(counts.features)}`],
    ["Parts", whole(K)],
    ["Iterations", model.iterations === null ? "–" : whole(model.iterations), ended],
    ["Error", compact(model.error), errorShare(model)],
    ["Solver", model.solver ?? "–", model.loss === "frobenius" ? "" : model.loss],
    data.agreement && ["Accuracy", tenths(data.agreement.accuracy), `NMI ${data.agreement.nmi.toFixed(3)}`],
    ...wordFacts(),
  ].filter(Boolean);
  fill(byId("facts"), facts.map(([name, value, note]) =>
    el("div", {}, el("dt", { text: name }), el("dd", {}, value, note && el("small", { text: note })))));
  if (data.map) byId("map-title").append(" ", el("small", { class: "count", text: data.map }));
  const version = data.versions.find(([name]) => name === "manifact");
  const maker = `Made with Manifact ${version ? version[1] : ""}.`;
  byId("foot").textContent = `${maker} This file is complete: it loads nothing.`;
}

// Whether the words of topics belong together, and whether topics share words.
function wordFacts() {
  if (!data.words) return [];
  const { coherence, diversity } = data.words;
  const distinct = `diversity ${diversity.toFixed(3)}`;
  return [coherence === null ? ["Words", distinct] : ["Coherence", coherence.toFixed(3).replace("-", "−"), distinct]];
}

// Only the squared error is a share of ‖X‖ itself.
function errorShare({ relative, loss }) {
  if (relative === null) return "";
  const of = `${tenths(relative)} of ‖X‖`;
  return loss === "frobenius" ? of : `‖X − V Uᵀ‖ is ${of}`;
}

// ---- light and dark -----------------------------------------------------------------------------------------------

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

function remembered() {
  try {
    return localStorage.getItem("manifact-theme");
  } catch {
    return null;
  }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(theme === "dark"));
}

function toggleTheme() {
  setTheme(isDark() ? "light" : "dark");
  try {
    localStorage.setItem("manifact-theme", document.documentElement.dataset.theme);
  } catch {
    // A browser that remembers nothing still changes its colours.
  }
  repaint();
}

function repaint() {
  repaintMarks();
  drawLegend();
  drawMap();
}

setTheme(remembered() ?? (systemDark.matches ? "dark" : "light"));
systemDark.addEventListener("change", (event) => {
  if (remembered()) return;
  setTheme(event.matches ? "dark" : "light");
  repaint();
});

// ---- start --------------------------------------------------------------------------------------------------------

drawHead();
drawParts();
startSamples();
startMap();
startSearch();
drawQuality();
startKeys();
startHelp();
byId("theme").addEventListener("click", toggleTheme);
window.addEventListener("hashchange", readHash);
readHash();
document.documentElement.dataset.ready = "true";
