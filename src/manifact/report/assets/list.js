// A list that shows only the rows in view, however long it is.

const MOST_ROWS = 200000;

function virtualList(box, { label }) {
  const sizer = el("div", { class: "sizer", role: "presentation" });
  box.replaceChildren(sizer);
  let items = [], height = 40, columns = () => 1, render = null, first = -1, last = -1, across = 1;

  function show() {
    if (box.hidden || !render) return;
    const rows = Math.min(MOST_ROWS, Math.ceil(items.length / across));
    const from = Math.max(0, Math.floor(box.scrollTop / height) - 2);
    const to = Math.min(rows, Math.ceil((box.scrollTop + box.clientHeight) / height) + 2);
    if (from === first && to === last) return;
    [first, last] = [from, to];
    const held = sizer.contains(document.activeElement) ? document.activeElement.dataset.sample : null;
    const made = [];
    for (let row = from; row < to; row++) {
      const cells = [];
      for (let at = row * across; at < Math.min(items.length, (row + 1) * across); at++) {
        const cell = render(items[at], at);
        apply(cell, { role: "listitem", "aria-setsize": items.length, "aria-posinset": at + 1 });
        cells.push(cell);
      }
      const style = { transform: `translateY(${row * height}px)`, height: `${height}px`, "--across": across };
      made.push(el("div", { class: "row", role: "presentation", style }, cells));
    }
    sizer.replaceChildren(...made);
    if (held) sizer.querySelector(`[data-sample="${held}"]`)?.focus({ preventScroll: true });
  }

  function refresh() {
    across = Math.max(1, columns(box.clientWidth));
    sizer.style.height = `${Math.min(MOST_ROWS, Math.ceil(items.length / across)) * height}px`;
    first = last = -1;
    show();
  }

  box.setAttribute("aria-label", label);
  box.addEventListener("scroll", show, { passive: true });
  new ResizeObserver(refresh).observe(box);
  return {
    set(found, settings) {
      ({ height, columns, render } = settings);
      items = found;
      box.scrollTop = 0;
      refresh();
    },
    // Brings an item into view and, if asked to, gives it the focus.
    reveal(at, focus) {
      const top = Math.floor(at / across) * height;
      if (top < box.scrollTop) box.scrollTop = top;
      if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
      first = -1;
      show();
      if (focus) sizer.querySelector(`[aria-posinset="${at + 1}"] button`)?.focus({ preventScroll: true });
    },
    across: () => across,
  };
}
