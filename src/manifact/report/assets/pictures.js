// Pictures: every one is cut out of a sheet and drawn at its own size; the browser scales it.

function openSheet(source) {
  if (!source) return null;
  const image = new Image();
  const waiting = [];
  image.onload = () => waiting.splice(0).forEach((draw) => draw());
  image.src = source.source;
  return { ...source, image, ready: (draw) => (image.complete && image.naturalWidth ? draw() : waiting.push(draw)) };
}

const partSheet = openSheet(parts.pictures);
const sampleSheet = openSheet(samples.pictures);
const tileOf = sampleSheet ? new Map(Array.from(sampleSheet.sample, (sample, tile) => [sample, tile])) : new Map();

function picture(sheet, tile, description, className = "picture") {
  const { width, height, columns } = sheet;
  const canvas = el("canvas", { class: className, width, height, role: "img", "aria-label": description });
  // A few large pixels are shown as pixels; photographs are smoothed.
  canvas.classList.toggle("pixels", Math.max(width, height) <= 40);
  sheet.ready(() => {
    const x = (tile % columns) * width, y = Math.floor(tile / columns) * height;
    canvas.getContext("2d").drawImage(sheet.image, x, y, width, height, 0, 0, width, height);
  });
  return canvas;
}

const partPicture = (part) => picture(partSheet, part, `Part ${part} as an image`);

function samplePicture(sample, className) {
  if (!sampleSheet || !tileOf.has(sample)) return null;
  return picture(sampleSheet, tileOf.get(sample), nameOf(sample), className);
}
