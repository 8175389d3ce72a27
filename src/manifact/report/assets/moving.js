// Moving over the map: wheel, drag, pinch and buttons.

function zoomAt(factor, px = map.width / 2, py = map.height / 2) {
  const scale = Math.max(1, Math.min(MOST_ZOOM, map.scale * factor));
  const change = scale / map.scale;
  map.x = px - (px - map.x) * change;
  map.y = py - (py - map.y) * change;
  map.scale = scale;
  keepInside();
  moveMap();
}

function keepInside() {
  map.x = Math.min(0, Math.max(map.width * (1 - map.scale), map.x));
  map.y = Math.min(0, Math.max(map.height * (1 - map.scale), map.y));
  // A finger scrolls the page over a map that is whole, and moves a map that is not.
  map.canvas.style.touchAction = map.scale === 1 ? "pan-y" : "none";
}

function wholeMap() {
  Object.assign(map, { scale: 1, x: 0, y: 0 });
  keepInside();
  drawMap();
}

function listenToMap() {
  const { canvas } = map;
  const fingers = new Map();
  let moved = 0, apart = 0;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  keepInside();
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomAt(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), ...at(event));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 1) moved = 0;
    apart = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const place = at(event);
    if (!fingers.has(event.pointerId)) return hover(pointAt(...place, 10), place);
    const before = fingers.get(event.pointerId);
    fingers.set(event.pointerId, place);
    if (fingers.size === 1) {
      moved += Math.hypot(place[0] - before[0], place[1] - before[1]);
      if (moved < 4) return;
      map.x += place[0] - before[0];
      map.y += place[1] - before[1];
      hover(null);
      keepInside();
      moveMap();
    } else if (fingers.size === 2) {
      moved = 99;
      const [a, b] = [...fingers.values()];
      const now = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (apart) zoomAt(now / apart, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
      apart = now;
    }
  });
  const lift = (event) => {
    const tapped = event.type === "pointerup" && fingers.size === 1 && moved < 4;
    fingers.delete(event.pointerId);
    apart = 0;
    if (!tapped) return;
    const found = pointAt(...at(event), event.pointerType === "touch" ? 22 : 12);
    if (found !== null) showSample(found);
    else if (state.sample !== null || state.part !== null) clearSelection();
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => hover(null));
  canvas.addEventListener("dblclick", (event) => zoomAt(2, ...at(event)));
  byId("zoom-in").addEventListener("click", () => zoomAt(1.6));
  byId("zoom-out").addEventListener("click", () => zoomAt(1 / 1.6));
  byId("zoom-all").addEventListener("click", wholeMap);
}
