// What the colours of the map mean, and which of them are wanted.

const MOST_CHIPS = 60;

function drawColourChoice() {
  const choices = [["cluster", "Part"], ["weight", "Weight"], ...(labels ? [["label", "Label"]] : [])];
  const hints = {
    cluster: "Colour by the part that a sample belongs to",
    weight: "Colour by the weight of the selected part",
    label: "Colour by known label",
  };
  const buttons = choices.map(([value, text]) => {
    // The weight of some part, when none is selected.
    const needed = () => (value === "weight" && state.part === null ? { part: 0, cluster: 0 } : {});
    const pressed = String(state.colour === value);
    const pick = () => set({ colour: value, ...needed() });
    return button("", pick, { "data-colour": value, "aria-pressed": pressed, title: hints[value] }, text);
  });
  fill(byId("colour-by"), buttons);
  watch((changed) => {
    if (!changed.has("colour")) return;
    for (const choice of buttons) choice.setAttribute("aria-pressed", String(choice.dataset.colour === state.colour));
  });
}

function drawLegend() {
  const legend = byId("legend");
  if (state.colour === "label") {
    const chips = labels.names.slice(0, MOST_CHIPS).map((name, label) => {
      const pick = () => set({ label: state.label === label ? null : label, sample: null });
      return button("chip", pick, { "aria-pressed": String(state.label === label) }, mark(label), said("", name));
    });
    const more = labels.names.length - MOST_CHIPS;
    fill(legend, chips, more > 0 && span("soft", `and ${more} more`));
  } else if (state.colour === "weight" && state.part !== null) {
    const steps = Array.from({ length: 24 }, (_, i) => el("i", { style: { background: heat(i / 23) } }));
    const ramp = el("span", { class: "ramp", "aria-hidden": "true" }, steps);
    fill(legend, span("soft", "0 %"), ramp, span("soft", `100 % part ${state.part}`));
  } else {
    const near = data.map ? `Places are those of ${data.map}.` : "Near together: alike mixtures of parts.";
    const meaning = `${near} Numbers, words and marks are those of the parts.`;
    fill(legend, span("soft", meaning));
  }
}
