// What stands above the rows: the field that adds a fact, the filter, and what was done last, with its undo.
import { STATES } from "./facts.js";
import { button, freshId, make, say, setAria } from "./elements.js";

const MOST_CHIPS = 12;
const FURTHER = {
  title: { label: "Title", hint: "else the first words" },
  category: { label: "Category" },
  key: { label: "Key", hint: "prod_server_ip" },
  confidence: { label: "Confidence", type: "number", min: 0, max: 100, step: 1, hint: "0 to 100" },
  expires: { label: "Expires", hint: "7d, 2w, 2026-12-31 or never" },
  context: { label: "Context", hint: "where you know it from" },
  scope: { label: "Scope", hint: "global or project:name" },
};

/** Adds a fact: one field and Enter; the other fields are a disclosure away. `add(text, fields)` gives an answer. */
export class AddForm {
  constructor(add, announce) {
    Object.assign(this, { add, announce, limit: Infinity, fields: {} });
    this.text = make("textarea", {
      rows: 1, className: "mm-note", placeholder: "Remember something, and press Enter", dir: "auto", spellcheck: false,
    });
    this.left = make("span", { className: "mm-quiet mm-left" });
    this.problem = make("p", { className: "mm-problem", id: freshId(), hidden: true });
    this.further = make("div", { className: "mm-further", id: freshId(), hidden: true });
    this.toggle = button("More fields", { className: "mm-link" });
    setAria(this.text, { label: "A fact to remember", describedby: this.problem.id });
    setAria(this.toggle, { expanded: "false", controls: this.further.id });
    this.element = make(
      "form",
      { className: "mm-add", noValidate: true },
      make("div", { className: "mm-line" }, this.text, this.left, make("button", { type: "submit", textContent: "Add" }), this.toggle),
      this.further,
      this.problem,
    );
    for (const [name, { label, hint, ...given }] of Object.entries(FURTHER)) {
      const input = name === "category" ? make("select") : make("input", { type: "text", placeholder: hint ?? "", autocomplete: "off", ...given });
      setAria(input, { label });
      this.fields[name] = input;
      this.further.append(make("label", {}, make("span", { textContent: label }), input));
    }
    this.toggle.addEventListener("click", () => this.disclose(this.further.hidden));
    this.text.addEventListener("input", () => this.count());
    this.element.addEventListener("submit", (event) => this.submit(event));
    // Inside of JupyterLab, Enter in a field does not submit a form by itself.
    this.element.addEventListener("keydown", (event) => {
      if (event.isComposing || event.target.tagName === "BUTTON") return;
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        this.element.requestSubmit();
      } else if (event.key === "Escape") this.explain("");
    });
  }

  know({ categories, note_chars: limit }) {
    this.limit = limit;
    const { category } = this.fields;
    if (category.options.length) return;
    category.append(...["", ...categories].map((name) => make("option", { value: name, textContent: name || "other" })));
    category.lastElementChild.remove();
  }

  disclose(open) {
    this.further.hidden = !open;
    setAria(this.toggle, { expanded: String(open) });
    say(this.toggle, open ? "Fewer fields" : "More fields");
  }

  count() {
    const length = [...this.text.value.trim()].length;
    this.text.rows = Math.min(8, this.text.value.split("\n").length);
    say(this.left, length > this.limit * 0.8 ? `${length} of ${this.limit}` : "");
    this.left.classList.toggle("mm-over", length > this.limit);
  }

  async submit(event) {
    event.preventDefault();
    if (this.sending) return;
    const half = Object.entries(this.fields).find(([, input]) => input.validity.badInput);
    if (half) {
      this.explain(`${FURTHER[half[0]].label} is not a number`);
      return;
    }
    const given = Object.entries(this.fields).map(([name, input]) => [name, input.value.trim()]);
    this.sending = true;
    this.text.readOnly = true;
    const answer = await this.add(this.text.value, Object.fromEntries(given.filter(([, value]) => value)));
    this.sending = false;
    this.text.readOnly = false;
    this.explain(answer.ok ? "" : answer.message);
    if (!answer.ok) return;
    for (const input of [this.text, ...Object.values(this.fields)]) input.value = "";
    this.count();
  }

  explain(message) {
    say(this.problem, message);
    this.problem.hidden = !message;
    setAria(this.text, { invalid: message ? "true" : null });
    if (message) this.announce(message);
  }
}

/** What the rows are narrowed by; `changed` is called when a person changes it. */
export class Filter {
  constructor(changed) {
    this.chosen = { text: "", categories: new Set(), states: new Set() };
    this.changed = changed;
    this.input = make("input", { type: "search", placeholder: "Filter", autocomplete: "off", spellcheck: false, dir: "auto" });
    this.chips = make("div", { className: "mm-chips", role: "group" });
    setAria(this.input, { label: "Filter the facts" });
    setAria(this.chips, { label: "Show only" });
    this.element = make("div", { className: "mm-line mm-filter", role: "search" }, this.input, this.chips);
    this.made = new Map();
    this.input.addEventListener("input", () => {
      this.chosen.text = this.input.value;
      this.changed();
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.input.value) return;
      event.preventDefault();
      this.set("");
    });
  }

  get on() {
    const { text, categories, states } = this.chosen;
    return Boolean(text.trim() || categories.size || states.size);
  }

  set(text) {
    this.input.value = text;
    this.chosen.text = text;
    this.changed();
  }

  clear() {
    this.chosen.categories.clear();
    this.chosen.states.clear();
    this.set("");
  }

  /** Show a chip for each category in use and each state that a fact is in, with their counts. */
  paint(rows, known) {
    const { categories, states } = this.chosen;
    const counted = new Map(known.map((name) => [name, 0]));
    const inState = Object.fromEntries(Object.keys(STATES).map((name) => [name, 0]));
    for (const { row } of rows) {
      counted.set(row.category, (counted.get(row.category) ?? 0) + 1);
      for (const name of Object.keys(STATES)) inState[name] += STATES[name].test(row);
    }
    const shown = [...counted].filter(([name, count]) => count || categories.has(name)).slice(0, MOST_CHIPS);
    const chips = [
      ...shown.map(([name, count]) => this.chip(categories, name, name, count)),
      ...Object.entries(inState)
        .filter(([name, count]) => count || states.has(name))
        .map(([name, count]) => this.chip(states, name, STATES[name].label, count, "mm-state")),
    ];
    chips.forEach((chip, place) => {
      if (this.chips.children[place] !== chip) this.chips.insertBefore(chip, this.chips.children[place] ?? null);
    });
    while (this.chips.children.length > chips.length) this.chips.lastElementChild.remove();
  }

  chip(set, name, label, count, className = "") {
    const id = `${className}\n${name}`;
    let chip = this.made.get(id);
    if (!chip) {
      chip = button("", { className: `mm-chip ${className}` });
      chip.addEventListener("click", () => {
        if (!set.delete(name)) set.add(name);
        this.changed();
      });
      this.made.set(id, chip);
    }
    say(chip, `${label} ${count.toLocaleString()}`);
    setAria(chip, { pressed: String(set.has(name)) });
    return chip;
  }
}

/** How many there are, what was done last, and the way back: each change that was made here, one after the other. */
export class Done {
  constructor(revert, forgetSelected) {
    this.stacks = { undo: [], redo: [] };
    this.message = make("span", { className: "mm-message", role: "status", dir: "auto" });
    this.buttons = { undo: button("Undo"), redo: button("Redo") };
    this.count = make("span", { className: "mm-count" });
    this.forget = button("Forget selected", { onclick: forgetSelected });
    const buttons = make("span", { className: "mm-line" }, this.forget, this.buttons.undo, this.buttons.redo);
    this.element = make("div", { className: "mm-line mm-done" }, this.count, this.message, buttons);
    for (const [name, element] of Object.entries(this.buttons)) {
      element.addEventListener("click", () => revert(name));
    }
    this.paint();
  }

  say(message, bad = false) {
    say(this.message, message);
    this.message.classList.toggle("mm-bad", bad && message !== "");
  }

  /** Note a change that can be taken back; None was written where it has no number. */
  note(change, what) {
    if (change === null) return;
    this.stacks.redo = [];
    this.put("undo", { change, what });
  }

  put(name, entry) {
    this.stacks[name].push(entry);
    this.paint();
  }

  take(name) {
    const entry = this.stacks[name].pop();
    this.paint();
    return entry;
  }

  paint() {
    for (const [name, element] of Object.entries(this.buttons)) {
      const last = this.stacks[name].at(-1);
      // Not `disabled`, which would throw the focus away.
      setAria(element, { disabled: String(!last) });
      element.title = last ? `${name === "undo" ? "Undo" : "Redo"}: ${last.what}` : "";
    }
  }
}
