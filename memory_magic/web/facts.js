// What is said of facts and how they are sorted and found. Pure: rows in, words and orders out.

const DAY = 86400;
const UNITS = [[31557600, "year"], [DAY, "day"], [3600, "hour"], [60, "minute"]];
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** The form in which texts are compared: NFKC and both cases folded into one. */
export function fold(text) {
  return text.normalize("NFKC").toUpperCase().toLowerCase();
}

/** All that a row can be found by. */
export function foldedText(row) {
  const { id, title, body, category, key, source, context, scope, flags } = row;
  return fold([id, title, body, category, key, source, context, scope, ...flags].join("\n"));
}

/** A length of time in its largest unit, rounded down. */
export function span(seconds) {
  for (const [size, unit] of UNITS) {
    const count = Math.floor(seconds / size);
    if (count >= 1) return `${count} ${unit}${count > 1 ? "s" : ""}`;
  }
  return "a moment";
}

export function ago(iso, now) {
  return iso ? `${span(Math.max(0, now - Date.parse(iso)) / 1000)} ago` : "—";
}

/** What remains until expiry. Half a minute more: what was given 7 days a moment ago does not read 6. */
export function remaining(row, now) {
  if (!row.expires_at) return "never";
  const left = (Date.parse(row.expires_at) - now) / 1000;
  if (left <= 0) return `${span(-left)} ago`;
  return `in ${span(left + (left > 60 ? 30 : 0))}`;
}

/** An instant or a day, in full. */
export function inFull(moment) {
  if (!moment) return "";
  return moment.length > 10 ? `${moment.slice(0, 10)} ${moment.slice(11, 16)} UTC` : `${moment}, its end in UTC`;
}

/** The columns, each with the fields that it can be sorted by. */
export const COLUMNS = [
  { name: "fact", fields: ["title", "text"] },
  { name: "place", fields: ["category", "key"] },
  { name: "confidence", fields: ["confidence"] },
  { name: "expires", fields: ["expires"] },
  { name: "from", fields: ["source", "context", "scope"] },
  { name: "when", fields: ["updated"] },
];

const SORTED_BY = {
  title: (row) => row.title,
  text: (row) => row.body || row.title,
  category: (row) => row.category,
  key: (row) => row.key,
  confidence: (row) => row.confidence,
  expires: (row) => row.expires_at ?? "9999",
  source: (row) => row.source,
  context: (row) => row.context,
  scope: (row) => row.scope,
};

/** Compare two rows: by a field, what is empty last, and then as the file has them, newest first. */
export function comparator({ field, down }, place) {
  const value = SORTED_BY[field];
  const sign = down ? -1 : 1;
  const newest = (a, b) => (place.get(a.row) ?? -1) - (place.get(b.row) ?? -1); // one just added has no place yet
  if (!value) return (a, b) => -sign * newest(a, b);
  return (a, b) => {
    const [one, other] = [value(a), value(b)];
    const empty = (one === "") - (other === "");
    const order = typeof one === "number" ? one - other : collator.compare(one, other);
    return empty || sign * order || newest(a, b);
  };
}

/** What a person can narrow the table to beside words: what needs a look. */
export const STATES = {
  expiring: { label: "expiring", test: (row) => row.status === "expiring" },
  expired: { label: "expired", test: (row) => row.status === "expired" },
  low: { label: "low confidence", test: (row) => row.confidence < 50 },
  flagged: { label: "to look at", test: (row) => row.flags.length > 0 },
};

/** Give the test that a row passes: all words, one of the categories, one of the states. */
export function filterFor({ text, categories, states }) {
  const words = fold(text).split(/\s+/u).filter(Boolean);
  return (row, folded) =>
    words.every((word) => folded.includes(word)) &&
    (!categories.size || categories.has(row.category)) &&
    (!states.size || [...states].some((name) => STATES[name].test(row)));
}
