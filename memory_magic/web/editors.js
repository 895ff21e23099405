// A field of a fact, edited where it stands: saved on Enter or on leaving it, taken back on Escape.
import { inFull } from "./facts.js";
import { button, freshId, make, setAria } from "./elements.js";

export const LABELS = {
  title: "Title", body: "Text", category: "Category", key: "Key", confidence: "Confidence", expires: "Expires",
};
const PRESETS = [["in 7 days", "7d"], ["in 30 days", "30d"], ["never", "never"]];
const HINTS = {
  title: "Enter saves, Escape takes back",
  body: "Enter saves, Shift+Enter begins a line, Escape takes back",
  key: "lower-case letters, digits and _; empty for none",
  confidence: "0 to 100",
  expires: "the end of that day, UTC",
};
const LOCKED = {
  secret: "It holds a secret and is not shown; what you write here replaces it whole",
  long: "It is too long to be edited here; what you write here replaces it whole, the file can be edited by hand",
};
const HALF = { confidence: "This is not a number", expires: "This day is not complete, or does not exist" };

/** What a control of this field begins with. */
function initialValue(row, field) {
  if (row.locked[field]) return "";
  if (field === "expires") return row.expires ? row.expires.slice(0, 10) : "";
  return String(row.raw[field] ?? row[field] ?? "");
}

/** A field's value in the file, in words. */
function inWords(row, field) {
  const value = field === "expires" ? inFull(row.expires) || "never" : String(row[field] ?? "");
  return value || "nothing";
}

function control(row, field, categories) {
  const value = initialValue(row, field);
  if (field === "category") {
    const known = categories.includes(row.category);
    const options = categories.map((name) => make("option", { value: name, textContent: name }));
    if (!known) options.unshift(make("option", { value, textContent: `${row.category} (not a category)` }));
    const select = make("select", {}, ...options);
    select.value = value;
    return select;
  }
  if (field === "body") {
    const fit = () => { area.rows = Math.min(14, Math.max(2, area.value.split("\n").length)); };
    const area = make("textarea", { value, dir: "auto", spellcheck: false, oninput: fit });
    fit();
    return area;
  }
  const kinds = { confidence: { type: "number", min: 0, max: 100, step: 1 }, expires: { type: "date" } };
  return make("input", { type: "text", dir: "auto", autocomplete: "off", spellcheck: false, ...kinds[field], value });
}

/**
 * An open editor. The host gives `categories` and `edit(editor, value)`, a promise of an answer, and is told what to
 * announce, what to add anew, and when the editor has closed.
 */
export class Editor {
  constructor(host, row, field, trigger) {
    Object.assign(this, { host, row, field, trigger, version: row.version, open: true });
    this.control = control(row, field, host.categories);
    this.initial = this.control.value;
    this.hint = make("p", { className: "mm-hint", id: freshId() });
    this.problem = make("div", { className: "mm-problem", id: freshId(), hidden: true });
    this.element = make("div", { className: `mm-editor mm-editor-${field}` }, this.control);
    if (field === "expires") {
      const presets = PRESETS.map(([label, value]) =>
        button(label, { className: "mm-preset", onclick: () => this.send(value, true) }));
      this.element.append(make("span", { className: "mm-presets" }, ...presets));
    }
    this.hint.textContent = LOCKED[row.locked[field]] ?? HINTS[field] ?? "";
    this.element.append(this.hint, this.problem);
    const name = `${LABELS[field]} of ${row.title}`;
    setAria(this.control, { label: name, describedby: `${this.hint.id} ${this.problem.id}` });
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    this.element.addEventListener("focusout", (event) => this.onLeave(event));
    trigger.hidden = true;
    trigger.after(this.element);
    this.control.focus();
    this.control.select?.();
  }

  onKey(event) {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      this.close(true);
    } else if (event.key === "Enter" && !event.shiftKey && event.target === this.control) {
      event.preventDefault();
      this.commit(true);
    }
  }

  onLeave(event) {
    if (this.open && !this.asking && !this.element.contains(event.relatedTarget)) this.commit(false);
  }

  commit(refocus) {
    if (this.control.validity.badInput) return this.explain(HALF[this.field] ?? "This is not complete");
    const { value } = this.control;
    if (value === this.initial) return this.close(refocus);
    if (this.row.locked[this.field] && !value.trim()) return this.close(refocus);
    // What was refused is not tried again by merely leaving the field.
    if (value === this.refused && !refocus) return undefined;
    return this.send(this.field === "expires" && !value ? "never" : value, refocus);
  }

  async send(value, refocus) {
    if (this.sending) return;
    this.sending = true;
    this.control.readOnly = true;
    setAria(this.element, { busy: "true" });
    const typed = this.control.value;
    const answer = await this.host.edit(this, value);
    this.sending = false;
    this.control.readOnly = false;
    setAria(this.element, { busy: null });
    if (!this.open) return;
    if (answer.ok) {
      this.close(refocus && this.element.contains(document.activeElement));
      return;
    }
    this.refused = typed;
    if (answer.row) this.ask(answer, value);
    else if (answer.code === "memory_not_found") this.askAboutGone(answer, value);
    else this.explain(answer.message);
  }

  explain(message) {
    this.problem.replaceChildren(message);
    this.problem.hidden = false;
    setAria(this.control, { invalid: "true" });
    this.host.announce(message);
  }

  /** The fact has changed meanwhile: both values, and a choice. */
  ask(answer, value) {
    const { row } = answer;
    const mine = this.field === "expires" ? value : this.control.value || "nothing";
    this.choose(answer.message, [["In the file", inWords(row, this.field)], ["Yours", mine]], [
      ["Save mine", () => { this.version = row.version; this.send(value, true); }],
      ["Keep the file’s", () => this.close(true)],
    ]);
  }

  askAboutGone(answer, value) {
    this.choose(`It has been forgotten elsewhere meanwhile. ${answer.message}`, [["Yours", value]], [
      ["Add it as a new fact", () => { this.host.addAnew(this.row, this.field, value); this.close(false); }],
      ["Let it go", () => this.close(false)],
    ]);
  }

  choose(message, values, choices) {
    this.asking = true;
    this.explain(message);
    for (const [label, text] of values) {
      const shown = make("bdi", { className: "mm-value", dir: "auto", textContent: text });
      this.problem.append(make("p", {}, `${label}: `, shown));
    }
    const buttons = choices.map(([label, act]) =>
      button(label, { onclick: () => { this.asking = false; this.clear(); act(); } }));
    this.problem.append(make("p", { className: "mm-choice" }, ...buttons));
  }

  clear() {
    this.problem.hidden = true;
    this.problem.replaceChildren();
    setAria(this.control, { invalid: null });
  }

  /** The row is another one now: by a change of ours, which this editor goes on from, or of somebody else. */
  renew(row, ours) {
    if (ours) this.version = row.version;
    else if (inWords(row, this.field) !== inWords(this.row, this.field)) {
      this.hint.textContent = `Changed elsewhere meanwhile; in the file now: ${inWords(row, this.field)}`;
      this.host.announce(this.hint.textContent);
    }
  }

  /** The fact has been forgotten elsewhere; what was typed stays. */
  gone() {
    this.hint.textContent = "Forgotten elsewhere meanwhile";
    this.host.announce(this.hint.textContent);
  }

  close(refocus) {
    if (!this.open) return;
    this.open = false;
    this.trigger.hidden = false;
    if (refocus) this.trigger.focus();
    this.element.remove();
    this.host.closed(this);
  }
}
