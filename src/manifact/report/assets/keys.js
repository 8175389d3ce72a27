// The keyboard.

let digits = "";
const forgetDigits = later(() => (digits = ""), 700);

function typeDigit(digit) {
  const longer = Number(digits + digit);
  digits = longer < K ? digits + digit : digit;
  if (Number(digits) < K) selectPart(Number(digits));
  forgetDigits();
}

function nextColour() {
  const choices = [...byId("colour-by").children];
  const now = choices.findIndex((button) => button.dataset.colour === state.colour);
  choices[(now + 1) % choices.length].click();
}

function startKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    if (event.target.closest?.("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const { key } = event;
    // A table that is wider than the page is scrolled with the arrows.
    if (key.startsWith("Arrow") && event.target.closest?.(".scroll-x")) return;
    if (/^[0-9]$/.test(key)) typeDigit(key);
    else if (key === "j" || key === "ArrowRight" || (key === "ArrowDown" && !inScroller(event.target))) stepPart(1);
    else if (key === "k" || key === "ArrowLeft" || (key === "ArrowUp" && !inScroller(event.target))) stepPart(-1);
    else if (key === "/") byId("query").focus();
    else if (key === "Escape") clearSelection();
    else if (key === "?") byId("help").showModal();
    else if (key === "+" || key === "=") zoomAt(1.6);
    else if (key === "-") zoomAt(1 / 1.6);
    else if (key === "r") wholeMap();
    else if (key === "c") nextColour();
    else if (key === "d") toggleTheme();
    else return;
    event.preventDefault();
  });
}

// Up and down scroll the page or a table that has the focus; they choose parts from the parts and the map.
const inScroller = (target) => !target.closest?.(".parts-pane, .map-pane");
