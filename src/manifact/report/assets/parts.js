// Parts: a card for each, with its picture, features or examples.

const FEW = 7;
const MANY = 20;
const cards = [];

function drawParts() {
  const list = byId("parts");
  list.classList.toggle("tiles", parts.kind === "pictures");
  for (let part = 0; part < K; part++) {
    const body = el("span", { class: "card-body" });
    const settings = { "aria-pressed": "false", "data-part": part };
    const card = button("card", () => pickPart(part), settings, cardHead(part), body);
    cards.push({ card, body });
    list.append(el("li", {}, card));
    fillCard(part);
  }
  if (features && !features.signed) byId("relevance").hidden = false;
  const slider = byId("lambda");
  const sayLambda = () => { byId("lambda-value").textContent = state.lambda.toFixed(1); };
  slider.value = state.lambda;
  sayLambda();
  slider.addEventListener("input", () => set({ lambda: Number(slider.value) }));
  watch((changed) => {
    if (changed.has("lambda")) {
      sayLambda();
      for (let part = 0; part < K; part++) fillCard(part);
    }
    if (changed.has("feature") && features) for (let part = 0; part < K; part++) fillCard(part);
    if (changed.has("part")) markSelectedPart();
  });
}

function pickPart(part) {
  if (state.part === part && state.sample === null) return clearSelection();
  selectPart(part);
  if (narrow()) reveal(byId("samples-title"));
}

// The class of most of a part's samples says in a word what it holds; a class with less than half of them would mislead.
function majorityOf(part) {
  if (!data.agreement) return null;
  let best = -1, most = 0, total = 0;
  data.agreement.counts.forEach((row, label) => {
    total += row[part];
    if (row[part] > most) [best, most] = [label, row[part]];
  });
  return best < 0 || 2 * most < total ? null : { name: labels.names[best], share: most / total };
}

function cardHead(part) {
  const size = parts.size[part];
  const majority = majorityOf(part);
  const mostly = majority ? `, ${percent(majority.share)} of them ${majority.name}` : "";
  const hint = `Part ${part}: ${percent(parts.share[part])} of all weight, ${whole(size)} samples${mostly}`;
  return el("span", { class: "card-head", title: hint },
    mark(part),
    el("span", { class: "number", text: part }),
    majority && said("majority", `${majority.name} ${percent(majority.share)}`),
    span("size", span("many", whole(size)), span("share", percent(parts.share[part]))));
}

let shownFeatures = null;

function fillCard(part) {
  const { body } = cards[part];
  if (parts.kind === "pictures") {
    if (!body.firstChild) body.append(partPicture(part));
  } else if (parts.kind === "examples") {
    if (!body.firstChild) fill(body, examplesOf(part));
  } else {
    fill(body, featureRows(part, state.part === part ? MANY : FEW));
  }
}

function featureRows(part, most) {
  const rows = topFeatures(part, state.lambda, most);
  const largest = Math.max(...rows.map((row) => Math.abs(row.value)), 1e-30);
  if (!rows.length) return el("span", { class: "nothing", text: "nothing: this part is empty" });
  return rows.map(({ feature, value }) => {
    const name = signedName({ feature, value });
    const alone = partsOfFeature(feature).find((found) => found.part === part);
    const amount = features.signed ? compact(value) : `${(100 * value).toPrecision(2)} %`;
    const title = `${name}: ${amount}${alone ? `; this part holds ${percent(alone.share)} of it` : ""}`;
    return el("span", { class: state.feature === feature ? "word found" : "word", title },
      said("term", name),
      bar(value / largest, { signed: features.signed }),
      most === MANY && span("amount", amount));
  });
}

// Concepts of a kernel have no features: they are shown as the samples that make them.
function examplesOf(part) {
  const found = parts.examples[part];
  if (!found.length) return el("span", { class: "nothing", text: "nothing: this part is empty" });
  const pictures = found.map(([sample]) => samplePicture(sample, "mini")).filter(Boolean);
  if (pictures.length) return el("span", { class: "minis" }, pictures);
  const largest = found[0][1];
  const shownAs = (sample) => (samples.names ? nameOf(sample) : textOf(sample) || nameOf(sample));
  return found.slice(0, FEW).map(([sample, share]) =>
    span("word", said("term", shownAs(sample)), bar(share / largest)));
}

function markSelectedPart() {
  cards.forEach(({ card }, part) => {
    card.setAttribute("aria-pressed", String(part === state.part));
    card.classList.toggle("other", state.part !== null && part !== state.part);
  });
  for (const part of [shownFeatures, state.part]) if (part !== null) fillCard(part);
  shownFeatures = state.part;
  if (state.part !== null) intoView(byId("parts"), cards[state.part].card);
}

function stepPart(step) {
  const next = state.part === null ? (step > 0 ? 0 : K - 1) : (state.part + step + K) % K;
  selectPart(next);
}
