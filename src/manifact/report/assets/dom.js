// Making elements: text always goes in as text, never as markup.

const byId = (id) => document.getElementById(id);

function el(tag, settings = {}, ...children) {
  const made = document.createElement(tag);
  apply(made, settings);
  append(made, children);
  return made;
}

function svg(tag, settings = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(settings)) made.setAttribute(name, value);
  append(made, children);
  return made;
}

function apply(made, settings) {
  for (const [name, value] of Object.entries(settings)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") made.className = value;
    else if (name === "text") made.textContent = value;
    else if (name === "style") for (const [key, part] of Object.entries(value)) made.style.setProperty(key, part);
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
}

function append(made, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child);
  }
}

function fill(made, ...children) {
  made.replaceChildren();
  append(made, children);
  return made;
}

const span = (className, ...children) => el("span", { class: className }, children);

// Text of the data, which may run from right to left.
const said = (className, text) => el("span", { class: className, dir: "auto", text });

const button = (className, onclick, settings, ...children) =>
  el("button", { type: "button", class: className, onclick, ...settings }, children);

// A bar from 0 to 1, or to either side of the middle where values have signs.
function bar(value, { signed = false, colour = null } = {}) {
  const size = Math.min(1, Math.abs(value)) * (signed ? 50 : 100);
  const fillStyle = { width: `${size.toFixed(1)}%` };
  if (signed) fillStyle[value < 0 ? "right" : "left"] = "50%";
  if (colour) fillStyle.background = colour;
  const filled = el("span", { class: value < 0 ? "fill negative" : "fill", style: fillStyle });
  return el("span", { class: signed ? "track signed" : "track", "aria-hidden": "true" }, filled);
}

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
const narrow = () => window.matchMedia("(max-width: 760px)").matches;

function reveal(element) {
  element.scrollIntoView({ block: "start", behavior: still() ? "auto" : "smooth" });
}

// Scrolls a pane, and never the page, until it shows the element.
function intoView(pane, element) {
  const [outer, inner] = [pane.getBoundingClientRect(), element.getBoundingClientRect()];
  const over = Math.min(inner.bottom - outer.bottom + 8, inner.top - outer.top - 8);
  if (inner.top < outer.top) pane.scrollTop += inner.top - outer.top - 8;
  else if (over > 0) pane.scrollTop += over;
}

function later(action, wait) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), wait);
  };
}
