// The rows of a page as elements: one of them has the focus, and arrow keys move it.
import { COLUMNS } from "./facts.js";
import { button, make, setAria } from "./elements.js";
import { RowView } from "./rows.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const ARROWS = { ascending: " ↑", descending: " ↓", none: "" };

export class Grid {
  constructor({ onSort, onAll, onAct }) {
    this.views = new Map();
    this.body = make("tbody", { role: "rowgroup" });
    this.all = make("input", { type: "checkbox", onchange: () => onAll(this.all.checked) });
    setAria(this.all, { label: "Select all on this page" });
    const head = make("thead", { role: "rowgroup" }, this.head(onSort));
    this.table = make("table", { role: "grid" }, head, this.body);
    setAria(this.table, { label: "Facts" });
    this.element = make("div", { className: "mm-scroll" }, this.table);
    this.body.addEventListener("click", (event) => {
      const control = event.target.closest("[data-field], [data-action]");
      const view = control && this.views.get(control.closest("tr").dataset.row);
      if (view) onAct(view, control);
    });
    this.body.addEventListener("keydown", (event) => this.onArrow(event));
    this.body.addEventListener("focusin", (event) => {
      this.visited = true;
      this.rove(event.target);
    });
  }

  head(onSort) {
    const cell = (name, ...children) =>
      make("th", { className: `mm-${name}`, role: "columnheader", scope: "col" }, ...children);
    this.heads = COLUMNS.map(({ name, fields }) =>
      cell(name, ...fields.map((field) => button(field, { data: { sort: field }, onclick: () => onSort(field) }))));
    const actions = cell("actions", make("span", { className: "mm-unseen", textContent: "Actions" }));
    return make("tr", { role: "row" }, cell("select", this.all), ...this.heads, actions);
  }

  /** Show these rows and no others; nothing that has the focus is moved or made anew. */
  paint(names, listing, now) {
    this.paintHead(listing.sort);
    for (const [name, view] of this.views) {
      if (names.includes(name)) continue;
      view.element.remove();
      this.views.delete(name);
    }
    const focused = this.body.querySelector("tr:focus-within");
    names.forEach((name, place) => {
      if (!this.views.has(name)) this.views.set(name, new RowView());
      const view = this.views.get(name);
      view.paint(listing.row(name), now, listing.selected.has(name));
      // Where the focused row is due, those before it make room; it stays.
      while (view.element === focused && this.body.children[place] !== focused) this.body.append(this.body.children[place]);
      if (this.body.children[place] !== view.element) this.body.insertBefore(view.element, this.body.children[place] ?? null);
    });
    const chosen = names.filter((name) => listing.selected.has(name)).length;
    this.all.checked = chosen > 0 && chosen === names.length;
    this.all.indeterminate = chosen > 0 && chosen < names.length;
    this.rove(this.visited ? this.body.querySelector("[tabindex='0']") : null);
  }

  paintHead({ field, down }) {
    for (const cell of this.heads) {
      const sorts = [...cell.children];
      const active = sorts.find((element) => element.dataset.sort === field);
      const way = down ? "descending" : "ascending";
      setAria(cell, { sort: active ? way : "none" });
      for (const element of sorts) {
        element.dataset.arrow = ARROWS[element === active ? way : "none"];
        setAria(element, { label: `Sort by ${element.dataset.sort}${element === active ? `, ${way} now` : ""}` });
      }
    }
  }

  /** Let the Tab key reach one control among all the rows: the one that had the focus last. */
  rove(control) {
    if (control?.closest(".mm-editor")) return;
    const current = control ?? this.body.querySelector("tr .mm-value:not([hidden])");
    for (const other of this.body.querySelectorAll("[tabindex='0']")) if (other !== current) other.tabIndex = -1;
    if (current) current.tabIndex = 0;
  }

  onArrow(event) {
    const step = STEPS[event.key];
    if (!step || event.target.closest(".mm-editor") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const row = event.target.closest("tr");
    const view = this.views.get(row.dataset.row);
    const controls = view.controls();
    const place = controls.indexOf(event.target);
    if (step[1]) controls[place + step[1]]?.focus();
    else this.focus(this.body.children[[...this.body.children].indexOf(row) + step[0]], event.target.dataset);
  }

  /** Focus the control of a row that does the same; gives whether there is one. */
  focus(row, { field, action }) {
    const view = row && this.views.get(row.dataset.row);
    const controls = view?.controls() ?? [];
    const same = controls.find((one) => (field ? one.dataset.field === field : one.dataset.action === action));
    (same ?? controls[0])?.focus();
    return controls.length > 0;
  }
}
