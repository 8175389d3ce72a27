// The numbers: arrays from base64, and the questions that the rest of the page asks of them.

const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array };

function unpacked(value) {
  const text = atob(value.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new KINDS[value.type](bytes.buffer);
}

function unpack(value) {
  if (value === null || typeof value !== "object") return value;
  if (typeof value.type === "string" && typeof value.data === "string") return unpacked(value);
  // Long lists of texts and numbers hold nothing to unpack.
  if (Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, unpack(part)]));
}

const data = unpack(JSON.parse(document.getElementById("data").textContent));
document.getElementById("data").remove();

const { samples, parts, features, labels, counts } = data;
const N = counts.samples;
const K = counts.parts;
const UNKNOWN = labels ? labels.names.length : 0;

// Share of the sample's weight that lies in a part; 0 where it is too small to be kept.
function shareOf(sample, part) {
  const { width, levels, part: index, share } = samples.weights;
  for (let at = sample * width, end = at + width; at < end; at++) {
    if (index[at] === part) return share[at] / levels;
  }
  return 0;
}

const weightOf = (sample, part) => shareOf(sample, part) * samples.weights.total[sample];

function weightsOf(sample) {
  const { width, levels, part, share } = samples.weights;
  const found = [];
  for (let at = sample * width; at < (sample + 1) * width; at++) {
    if (share[at] > 0) found.push({ part: part[at], share: share[at] / levels });
  }
  return found;
}

function neighboursOf(sample) {
  const { width, index, weight, largest } = samples.neighbours;
  const found = [];
  for (let at = sample * width; at < (sample + 1) * width; at++) {
    if (index[at] !== sample) found.push({ sample: index[at], weight: (weight[at] / 255) * largest });
  }
  return found;
}

// The part that a sample belongs to; null where it belongs to none.
const partOf = (sample) => (samples.cluster[sample] === K ? null : samples.cluster[sample]);

// Samples of each part's cluster, strongest first: found once, sorted when first asked for.
const membersOf = (() => {
  const found = Array.from({ length: K }, () => []);
  for (let i = 0; i < N; i++) if (partOf(i) !== null) found[partOf(i)].push(i);
  const sorted = new Set();
  return (part) => {
    if (!sorted.has(part)) byWeight(found[part], part);
    sorted.add(part);
    return found[part];
  };
})();

function byWeight(list, part) {
  const weight = new Float32Array(N);
  for (const i of list) weight[i] = weightOf(i, part);
  return list.sort((a, b) => weight[b] - weight[a] || a - b);
}

const heaviestOf = (() => {
  const made = new Array(K);
  return (part) => {
    if (made[part] === undefined) {
      let largest = 0;
      for (let i = 0; i < N; i++) largest = Math.max(largest, weightOf(i, part));
      made[part] = largest || 1;
    }
    return made[part];
  };
})();

const labelOf = (sample) => (labels && labels.of[sample] !== UNKNOWN ? labels.names[labels.of[sample]] : null);
const nameOf = (sample) => (samples.names ? samples.names[sample] : `sample ${sample}`);

function featureName(index) {
  return features.names ? features.names[index] : `feature ${features.number[index]}`;
}

// The same beside a weight: what a part lacks has a minus sign.
const signedName = ({ feature, value }) => (value < 0 ? `−${featureName(feature)}` : featureName(feature));

// The features that stand out in a sample, where it has neither text nor picture.
function leadingOf(sample) {
  if (!samples.leading || !features) return [];
  const { width, feature } = samples.leading;
  const found = [];
  for (let at = sample * width; at < (sample + 1) * width; at++) {
    const name = leadingName(feature[at]);
    if (name !== null) found.push(name);
  }
  return found;
}

const leadingName = (() => {
  let place = null;
  return (number) => {
    if (number >= counts.features) return null;
    if (features.number.length === counts.features) return featureName(number);
    if (!place) place = new Map(Array.from(features.number, (value, index) => [value, index]));
    return place.has(number) ? featureName(place.get(number)) : null;
  };
})();

const textOf = (sample) => (samples.texts ? samples.texts[sample] : leadingOf(sample).join(", "));

// Features of a part by relevance λ log p(w|part) + (1 − λ) log p(w|part)/p(w); where parts are signed by weight, and
// what a part lacks comes after all that it has, most lacking first.
function topFeatures(part, lambda, most) {
  const { starts, top, value, overall, signed } = features;
  const found = [];
  for (let at = starts[part]; at < starts[part + 1]; at++) {
    const feature = top[at];
    const p = value[at];
    const rank = signed ? Math.abs(p) : lambda * Math.log(p) + (1 - lambda) * Math.log(p / overall[feature]);
    found.push({ feature, value: p, rank });
  }
  const has = ({ value }) => value > 0;
  found.sort((a, b) => has(b) - has(a) || b.rank - a.rank || a.feature - b.feature);
  return found.slice(0, most);
}

// Parts that hold most of a feature.
function partsOfFeature(feature) {
  const { width, part, held } = features;
  const found = [];
  for (let at = feature * width; at < (feature + 1) * width; at++) {
    if (held[at] >= 13) found.push({ part: part[at], share: held[at] / 255 });
  }
  return found;
}

const grouped = new Intl.NumberFormat("en-GB");
const whole = (value) => grouped.format(value);
const percent = (share) => (share > 0 && share < 0.01 ? "<1 %" : `${Math.round(share * 100)} %`);
const tenths = (share) => `${(100 * share).toFixed(1)} %`;

function compact(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    const [digits, power] = value.toExponential(2).split("e");
    return `${Number(digits)}e${Number(power)}`.replaceAll("-", "−");
  }
  if (size >= 1000) return whole(Math.round(value));
  return String(Number(value.toPrecision(3))).replace("-", "−");
}
