// Search: features and the parts that hold them, samples by name and text.

const MOST_FEATURES = 8;
const MOST_SAMPLES = 8;

// Names and texts in small letters, made once.
const searchable = (() => {
  let made = null;
  return () => (made ??= Array.from({ length: N }, (_, i) => `${nameOf(i)}\n${textOf(i)}`.toLowerCase()));
})();
const searchableFeatures = (() => {
  let made = null;
  const make = () => Array.from({ length: features.number.length }, (_, i) => featureName(i).toLowerCase());
  return () => (made ??= features ? make() : []);
})();

// Those that begin with the words first, then by weight.
function findFeatures(wanted) {
  const found = [];
  searchableFeatures().forEach((name, feature) => {
    const at = name.indexOf(wanted);
    if (at < 0) return;
    const closeness = name === wanted ? 2 : at === 0 ? 1 : 0;
    found.push({ feature, rank: closeness + Math.min(0.99, features.overall[feature]) });
  });
  return found.sort((a, b) => b.rank - a.rank || a.feature - b.feature).slice(0, MOST_FEATURES);
}

function findSamples(wanted) {
  const texts = searchable();
  const first = [];
  let total = 0;
  for (let i = 0; i < N; i++) {
    if (!texts[i].includes(wanted)) continue;
    total++;
    if (first.length < MOST_SAMPLES) first.push(i);
  }
  // "17" means the sample of that number before all that mention it.
  if (/^\d+$/.test(wanted) && Number(wanted) < N && !first.includes(Number(wanted))) first.unshift(Number(wanted));
  return { first, total };
}

// The part of a text where the words are.
function around(text, wanted) {
  const at = text.toLowerCase().indexOf(wanted);
  return at > 40 ? `…${text.slice(at - 24, at + 90)}` : text.slice(0, 120);
}
