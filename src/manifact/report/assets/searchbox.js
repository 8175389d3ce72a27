// The box to search in, and what was found below it: a list that keys and pointer choose from.

function startSearch() {
  const input = byId("query"), hits = byId("hits");
  let options = [], active = -1;

  function close() {
    hits.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    active = -1;
  }

  function point(next) {
    options[active]?.element.setAttribute("aria-selected", "false");
    active = options.length ? (next + options.length) % options.length : -1;
    if (active < 0) return;
    const { element } = options[active];
    element.setAttribute("aria-selected", "true");
    element.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", element.id);
  }

  function choose(option) {
    close();
    input.blur();
    option.action();
    if (narrow()) reveal(byId("samples-title"));
  }

  function show(found) {
    options = [];
    active = -1;
    const content = found.map(({ title, action, children }) => {
      if (!action) return el("div", { class: "hits-title", role: "presentation", text: title });
      const settings = { role: "option", id: `hit-${options.length}`, "aria-selected": "false", class: "hit" };
      const option = { action, element: el("div", settings, children) };
      // The box keeps the focus until the choice is made.
      option.element.addEventListener("pointerdown", (event) => event.preventDefault());
      option.element.addEventListener("click", () => choose(option));
      options.push(option);
      return option.element;
    });
    fill(hits, content);
    hits.hidden = false;
    input.setAttribute("aria-expanded", "true");
  }

  const look = () => (input.value.trim() ? show(found(input.value.trim())) : close());
  input.addEventListener("input", later(look, 70));
  input.addEventListener("focus", () => {
    searchable();
    if (input.value) look();
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") point(active + 1);
    else if (event.key === "ArrowUp") point(active - 1);
    else if (event.key === "Enter" && options.length) choose(options[Math.max(0, active)]);
    else if (event.key === "Escape") {
      input.value = "";
      close();
      input.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

// Titles, and what can be chosen with what it does.
function found(text) {
  const wanted = text.toLowerCase();
  const words = findFeatures(wanted).map(({ feature }) => featureHit(feature));
  const { first, total } = findSamples(wanted);
  const all = () => set({ part: null, cluster: null, label: null, least: 0, sample: null, words: text });
  const content = [];
  if (words.length) content.push({ title: "Features" }, ...words);
  if (first.length) content.push({ title: "Samples" }, ...first.map((sample) => sampleHit(sample, wanted)));
  const many = span("hit-all", `Show all ${whole(total)} samples in the list`);
  if (total > 1) content.push({ action: all, children: many });
  return content.length ? content : [{ title: "Nothing found" }];
}

function featureHit(feature) {
  const strong = partsOfFeature(feature);
  const chip = ({ part, share }) => span("hit-part", mark(part), `${part}`, el("small", { text: percent(share) }));
  const where = strong.length ? strong.map(chip) : el("small", { text: "in no part" });
  return {
    action: () => (strong.length ? selectPart(strong[0].part, { feature }) : set({ feature })),
    children: [said("hit-name", featureName(feature)), span("hit-parts", where)],
  };
}

function sampleHit(sample, wanted) {
  const name = span("hit-name", mark(partOf(sample)), said("", nameOf(sample)));
  return { action: () => selectSample(sample), children: [name, said("hit-text", around(textOf(sample), wanted))] };
}
