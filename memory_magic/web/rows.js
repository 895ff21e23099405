// One row of the table: made once, painted anew where the fact has changed.
import { ago, inFull, remaining, span } from "./facts.js";
import { button, iconButton, make, say, setAria } from "./elements.js";

const LONG = 240;

/** What opens the editor of a field; its text is set when painted. */
function opener(field, className = "") {
  return button("", { className: `mm-value ${className}`, dir: "auto", data: { field }, tabIndex: -1 });
}

export class RowView {
  constructor() {
    const act = (action, given = {}) => ({ data: { action }, tabIndex: -1, ...given });
    this.check = make("input", { type: "checkbox", ...act("select") });
    this.title = opener("title", "mm-title");
    this.body = opener("body", "mm-body");
    this.expand = button("", act("expand", { className: "mm-link" }));
    this.whole = make("div", { className: "mm-whole", dir: "auto", hidden: true, tabIndex: -1 });
    this.flags = make("ul", { className: "mm-flags" });
    this.fromHere = make("div", { className: "mm-quiet mm-from-here", dir: "auto" });
    this.category = opener("category");
    this.key = opener("key", "mm-code");
    this.confidence = opener("confidence", "mm-sure");
    this.number = make("span");
    this.low = make("span", { className: "mm-tag", textContent: "low" });
    this.confidence.append(make("span", {}, this.number, this.low), make("span", { className: "mm-bar" }));
    this.expires = opener("expires", "mm-ends");
    this.source = make("div", { className: "mm-source" });
    this.context = make("div", { className: "mm-quiet mm-context", dir: "auto" });
    this.scope = make("div", { className: "mm-quiet mm-scope", dir: "auto" });
    this.updated = make("div", { className: "mm-updated" });
    this.copy = button("", act("copy", { className: "mm-link mm-code", title: "Copy this id" }));
    this.confirm = iconButton("confirm", act("confirm", { title: "Still true" }));
    this.forget = iconButton("forget", act("forget", { title: "Forget" }));
    const cell = (name, ...children) => make("td", { className: `mm-${name}`, role: "gridcell" }, ...children);
    this.element = make(
      "tr",
      { role: "row" },
      cell("select", this.check),
      cell("fact", this.title, this.body, this.whole, this.expand, this.flags, this.fromHere),
      cell("place", this.category, this.key),
      cell("confidence", this.confidence),
      cell("expires", this.expires),
      cell("from", this.source, this.context, this.scope),
      cell("when", this.updated, this.copy),
      cell("actions", this.confirm, this.forget),
    );
  }

  /** Show a row; what has not changed is not touched. */
  paint(row, now, selected) {
    if (row !== this.row) this.paintFact(row);
    this.paintTimes(row, now);
    this.check.checked = selected;
    setAria(this.element, { selected: String(selected) });
  }

  paintFact(row) {
    this.row = row;
    this.element.dataset.row = row.row;
    this.element.dataset.status = row.status;
    this.paintText(row);
    say(this.category, row.category);
    setAria(this.category, { label: `Category: ${row.category}` });
    say(this.key, row.key || "key");
    setAria(this.key, { label: row.key ? `Key: ${row.key}` : "No key" });
    this.key.classList.toggle("mm-offer", !row.key);
    say(this.number, `${row.confidence} %`);
    this.low.hidden = row.confidence >= 50;
    this.confidence.style.setProperty("--mm-sure", `${row.confidence}%`);
    setAria(this.confidence, { label: `Confidence: ${row.confidence} %${row.confidence < 50 ? ", low" : ""}` });
    const source = row.source.replaceAll("_", " ");
    say(this.source, source);
    say(this.context, row.context);
    const everywhere = row.scope === "global";
    say(this.scope, row.scope);
    this.scope.classList.toggle("mm-everywhere", everywhere);
    say(this.fromHere, [source, row.context, everywhere ? "" : row.scope].filter(Boolean).join(" · "));
    say(this.copy, row.id);
    setAria(this.copy, { label: `Copy the id ${row.id}` });
    setAria(this.check, { label: `Select ${row.title}` });
    setAria(this.confirm, { label: `Still true: ${row.title}` });
    setAria(this.forget, { label: `Forget ${row.title}` });
  }

  /** Title and text; where the title is only how the text begins, the text alone, and the other is an offer. */
  paintText(row) {
    const one = row.one || !row.body;
    const [main, other] = row.one ? [this.body, this.title] : [this.title, this.body];
    say(this.title, row.one ? "Give it a title" : row.title || "(no title)");
    say(this.body, row.body || "Add a text");
    setAria(this.title, { label: row.one ? `Give a title to ${row.title}` : null });
    setAria(this.body, { label: row.body ? null : `Add a text to ${row.title}` });
    main.classList.remove("mm-offer");
    other.classList.toggle("mm-offer", one);
    this.body.classList.toggle("mm-main", row.one);
    if (other.previousElementSibling !== main && one) main.parentElement.insertBefore(main, other);
    const long = row.more > 0 || row.body.length > LONG || row.body.split("\n").length > 3;
    this.body.classList.toggle("mm-clamped", long);
    this.expand.hidden = !long;
    this.collapse();
    this.flags.hidden = !row.flags.length;
    this.flags.replaceChildren(...row.flags.map((flag) => make("li", { textContent: flag, dir: "auto" })));
  }

  collapse() {
    this.whole.hidden = true;
    this.whole.textContent = "";
    if (!this.body.nextElementSibling?.classList.contains("mm-editor")) this.body.hidden = false;
    say(this.expand, `Show all ${(this.row.body.length + this.row.more).toLocaleString()} characters`);
    setAria(this.expand, { expanded: "false" });
  }

  /** Show a long text whole, to be read. */
  showWhole(text) {
    this.whole.textContent = text;
    this.whole.hidden = false;
    this.body.hidden = true;
    say(this.expand, "Show less");
    setAria(this.expand, { expanded: "true" });
  }

  paintTimes(row, now) {
    const left = remaining(row, now);
    const words = { expired: `expired ${left}`, expiring: left }[row.status] ?? left;
    say(this.expires, words);
    const when = row.expires ? `, ${inFull(row.expires)}` : "";
    this.expires.title = inFull(row.expires);
    setAria(this.expires, { label: `Expires: ${words}${when}` });
    say(this.updated, ago(row.updated, now));
    const times = ["created", "updated", "confirmed"].filter((name) => row[name]);
    this.updated.title = times.map((name) => `${name} ${inFull(row[name])}`).join("\n");
  }

  /** All that can have the focus, in order. */
  controls() {
    const all = this.element.querySelectorAll("button, input[type=checkbox]");
    return [...all].filter((element) => element.tabIndex !== undefined && element.getClientRects().length);
  }
}
