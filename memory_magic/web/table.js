// The table of the memory. `mount(element, transport)` shows it in an element and gives what takes it away again.
// The transport carries it all: `open(tell)` begins to tell states, `call(request)` promises an answer, `close()` ends
// both; `busy` is what to say where no answer comes. memory_magic/answers.py has the requests and their answers.
import { button, make, say, setAria } from "./elements.js";
import { Editor } from "./editors.js";
import { Grid } from "./grid.js";
import { Listing, PAGE } from "./listing.js";
import { AddForm, Done, Filter } from "./toolbar.js";

const PATIENCE = 3_000;
const MINUTE = 60_000;

class Table {
  constructor(element, transport) {
    Object.assign(this, { transport, editors: new Set(), ours: new Set(), about: { categories: [] }, painted: 0 });
    this.add = new AddForm((text, fields) => this.remember(text, fields), (message) => this.announce(message));
    this.filter = new Filter(() => this.rearrange());
    this.done = new Done((name) => this.revert(name), () => this.forget([...this.listing.selected]));
    this.listing = new Listing(this.filter.chosen);
    this.grid = new Grid({
      onSort: (field) => this.show(() => this.listing.sortBy(field)),
      onAll: (on) => this.show(() => this.selectPage(on)),
      onAct: (view, control) => this.act(view, control),
    });
    this.build(element);
    this.calls = Promise.resolve();
    this.skew = 0;
    this.clock = setInterval(() => this.paint(), MINUTE);
    this.late = setTimeout(() => this.done.say(transport.busy), PATIENCE);
    transport.open((state) => this.receive(state));
  }

  build(element) {
    this.trouble = make("p", { className: "mm-trouble", role: "alert", hidden: true });
    this.notices = make("p", { className: "mm-quiet mm-notices", hidden: true });
    this.empty = make("p", { className: "mm-quiet mm-empty" });
    this.where = make("span", { className: "mm-quiet" });
    this.turns = [["‹", "Previous page", -1], ["›", "Next page", 1]].map(([text, label, by]) => {
      const turn = button(text, { onclick: () => this.show(() => this.listing.turn(by)) });
      setAria(turn, { label });
      return turn;
    });
    const foot = make("div", { className: "mm-line mm-foot" }, this.where, ...this.turns);
    this.spoken = make("span", { className: "mm-unseen", role: "alert" });
    this.root = make(
      "section",
      { className: "memory-magic-table mathjax_ignore tex2jax_ignore" },
      this.trouble, this.add.element, this.filter.element, this.done.element, this.notices,
      this.grid.element, this.empty, foot, this.spoken,
    );
    setAria(this.root, { label: "Memory" });
    // Notebooks other than JupyterLab's listen further up for the keys that edit cells.
    this.root.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
    });
    element.append(this.root);
  }

  // From the memory

  receive(state) {
    if (state.query) this.filter.set(state.query);
    if (state.reset || state.trouble) this.ready();
    if (!this.isReady || "query" in state) return;
    say(this.trouble, state.trouble ? `${state.trouble}. What is shown is from before` : "");
    this.trouble.hidden = !state.trouble;
    if (state.order) this.reorder(state.order);
    if (state.rows) this.take(state.rows);
    if (state.categories) this.know(state);
    this.coming = state.more ?? 0;
    this.paint();
  }

  ready() {
    if (this.isReady) return;
    this.isReady = true;
    clearTimeout(this.late);
    this.done.say("");
  }

  know(state) {
    this.about = state;
    this.skew = Date.parse(state.now) - Date.now();
    this.add.know(state);
    say(this.notices, state.notices.join(". "));
    this.notices.hidden = !state.notices.length;
  }

  reorder(order) {
    this.listing.setOrder(order, (name) => this.isEdited(name));
    for (const editor of this.editors) if (!this.listing.place.has(editor.row.row)) editor.gone();
  }

  /** Take rows; what a person works on stays where it is, and so does what was changed here. */
  take(rows) {
    const working = this.grid.table.contains(document.activeElement);
    const moved = [];
    for (const row of rows) {
      const name = row.row;
      const known = this.listing.row(name);
      if (!this.listing.take(row)) continue;
      for (const editor of this.editors) if (editor.row.row === name) editor.renew(row, this.ours.has(name));
      if (!known || !(working || this.ours.has(name) || this.isEdited(name))) moved.push(name);
    }
    this.listing.insert(moved);
  }

  // To the memory

  /**
   * Ask for something after all that was asked for before; `ask` gives the request when its turn has come. `names` are
   * the rows that it changes; an error is said above the rows unless it is `explained` where it arose.
   */
  call(ask, names = [], explained = false) {
    const answer = this.calls.then(async () => {
      for (const name of names) this.ours.add(name);
      const late = setTimeout(() => this.done.say(this.transport.busy), PATIENCE);
      try {
        return await this.transport.call(ask());
      } catch (error) {
        return { ok: false, code: "", message: String(error.message ?? error) };
      } finally {
        clearTimeout(late);
      }
    });
    this.calls = answer.then((said) => this.hear(said, names, explained));
    return answer;
  }

  hear(said, names, explained) {
    if (said.rows) this.take(said.rows);
    for (const name of names) this.ours.delete(name);
    if (said.ok && said.message) {
      const known = this.about.notices ?? [];
      const notices = said.notices.filter((notice) => !known.includes(notice));
      this.done.say([said.message, ...notices].join(". "));
    } else if (!said.ok) this.done.say(explained ? "" : said.message, true);
    this.paint();
  }

  /** Have a screen reader say what is written beside a field. */
  announce(message) {
    this.spoken.textContent = message;
  }

  async remember(text, fields) {
    const said = await this.call(() => ({ action: "add", text, fields }), [], true);
    if (said.ok) this.done.note(said.change, said.message);
    return said;
  }

  async edit(editor, value) {
    const { row, id } = editor.row;
    const ask = () => ({ action: "edit", id, version: editor.version, fields: { [editor.field]: value } });
    const said = await this.call(ask, [row], true);
    if (said.ok) this.done.note(said.change, said.message);
    return said;
  }

  async forget(names) {
    if (!names.length) return;
    const facts = names.map((name) => this.listing.row(name)).map(({ id, version }) => ({ id, version }));
    const next = this.neighbour(names);
    const said = await this.call(() => ({ action: "forget", facts }), names);
    if (!said.ok) return;
    this.done.note(said.change, said.message);
    this.show(() => this.listing.drop(names));
    const left = document.activeElement === document.body || !document.activeElement?.isConnected;
    if (next && left) this.grid.focus(this.grid.views.get(next)?.element, { action: "forget" });
  }

  /** The row that takes the place of those that go, if one of them has the focus. */
  neighbour(names) {
    const row = this.grid.body.querySelector("tr:focus-within");
    if (!row || !names.includes(row.dataset.row)) return null;
    const stays = (other) => other && !names.includes(other.dataset.row);
    let after = row;
    while (after && !stays(after)) after = after.nextElementSibling;
    let before = row;
    while (before && !stays(before)) before = before.previousElementSibling;
    return (after ?? before)?.dataset.row ?? null;
  }

  async confirm(name) {
    const said = await this.call(() => {
      const { id, version } = this.listing.row(name);
      return { action: "confirm", id, version };
    }, [name]);
    if (said.ok) this.done.note(said.change, said.message);
  }

  async revert(name) {
    const entry = this.done.take(name);
    if (!entry) return;
    const said = await this.call(() => ({ action: name, change: entry.change }));
    if (said.ok) this.done.put(name === "undo" ? "redo" : "undo", { ...entry, change: said.change });
  }

  // What a person does in the rows

  act(view, control) {
    const { field, action } = control.dataset;
    const name = view.row.row;
    if (field) this.editors.add(new Editor(this, view.row, field, control));
    else if (action === "select") this.show(() => this.select(name, control.checked));
    else if (action === "forget") this.forget([name]);
    else if (action === "confirm") this.confirm(name);
    else if (action === "copy") this.copy(view.row.id, control);
    else if (action === "expand") this.expand(view);
  }

  closed(editor) {
    this.editors.delete(editor);
    const name = editor.row.row;
    if (!this.listing.place.has(name) && !this.isEdited(name)) this.listing.drop([name]);
    this.paint();
  }

  get categories() {
    return this.about.categories;
  }

  isEdited(name) {
    return [...this.editors].some((editor) => editor.row.row === name);
  }

  /** Make a new fact of one that was forgotten while it was edited. */
  addAnew(row, field, value) {
    const text = field === "body" ? value : row.raw.body ?? row.body;
    const title = field === "title" ? value : row.raw.title ?? row.title;
    const fields = { category: row.category, confidence: String(row.confidence), ...(row.key && { key: row.key }) };
    if (!(row.one && field === "body")) fields.title = title;
    if (field !== "title" && field !== "body") fields[field] = value;
    this.remember(text || title, fields);
  }

  select(name, on) {
    if (on) this.listing.selected.add(name);
    else this.listing.selected.delete(name);
  }

  selectPage(on) {
    for (const name of this.listing.onPage()) this.select(name, on);
  }

  async copy(id, control) {
    try {
      await navigator.clipboard.writeText(id);
      this.done.say(`Copied ${id}`);
    } catch {
      getSelection().selectAllChildren(control); // no clipboard here: an insecure page, or it was refused
      this.done.say(`${id} is selected; press Ctrl+C to copy it`);
    }
  }

  async expand(view) {
    const { id, body, more } = view.row;
    if (!view.whole.hidden) view.collapse();
    else if (!more) view.showWhole(body);
    else {
      const said = await this.call(() => ({ action: "text", id }));
      if (said.ok) view.showWhole(said.text);
    }
  }

  // Painting

  rearrange() {
    this.listing.page = 0;
    this.show(() => this.listing.arrange());
  }

  show(change) {
    change();
    this.paint();
  }

  paint() {
    const { listing, filter } = this;
    const kept = [...this.editors].map((editor) => editor.row.row);
    const names = listing.onPage(kept);
    this.grid.paint(names, listing, Date.now() + this.skew);
    filter.paint(listing.facts.values(), this.about.categories);
    const all = listing.total.toLocaleString();
    const some = filter.on ? `${listing.names.length.toLocaleString()} of ${all}` : `${all} fact${listing.total === 1 ? "" : "s"}`;
    say(this.done.count, this.coming ? `${some}, ${this.coming.toLocaleString()} still to come` : some);
    this.empty.hidden = names.length > 0 || !this.isReady;
    say(this.empty, listing.total ? "No fact matches the filter" : "Nothing is remembered yet: write the first fact above");
    const first = listing.page * PAGE;
    say(this.where, names.length ? `${first + 1}–${first + listing.onPage().length} of ${listing.names.length.toLocaleString()}` : "");
    setAria(this.turns[0], { disabled: String(listing.page === 0) });
    setAria(this.turns[1], { disabled: String(first + PAGE >= listing.names.length) });
    const count = listing.selected.size;
    say(this.done.forget, count ? `Forget ${count} selected` : "Forget selected");
    setAria(this.done.forget, { disabled: String(!count) });
    this.painted += this.isReady ? 1 : 0;
    this.root.dataset.painted = this.painted;
    this.root.dataset.complete = String(Boolean(this.isReady) && !this.coming);
  }

  destroy() {
    clearInterval(this.clock);
    clearTimeout(this.late);
    this.transport.close();
    this.root.remove();
  }
}

export function mount(element, transport) {
  const table = new Table(element, transport);
  return () => table.destroy();
}
