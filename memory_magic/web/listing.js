// Which facts are shown, in which order, on which page. No element of the page is touched here.
import { comparator, filterFor, foldedText } from "./facts.js";

export const PAGE = 50;

export class Listing {
  constructor(chosen) {
    Object.assign(this, { chosen, facts: new Map(), place: new Map(), names: [], selected: new Set(), page: 0 });
    this.sort = { field: "updated", down: true };
  }

  get total() {
    return this.place.size;
  }

  row(name) {
    return this.facts.get(name)?.row;
  }

  /** Know which facts there are, newest first; those gone go, but for what `keeps` says is still worked on. */
  setOrder(order, keeps) {
    this.place = new Map(order.map((name, place) => [name, place]));
    this.drop([...this.facts.keys()].filter((name) => !this.place.has(name) && !keeps(name)));
  }

  drop(names) {
    for (const name of names) {
      this.facts.delete(name);
      this.selected.delete(name);
    }
    this.names = this.names.filter((name) => this.facts.has(name));
    this.turn(0);
  }

  /** Take a row; says whether it is new or other than the one known. */
  take(row) {
    const known = this.row(row.row);
    if (known?.version === row.version && known.status === row.status) return false;
    this.facts.set(row.row, { row, folded: foldedText(row) });
    return true;
  }

  /** Filter and sort all, as a person asked for. */
  arrange() {
    const passes = this.passes();
    this.names = [...this.facts.keys()].filter(passes).sort(this.compare());
    const shown = new Set(this.names);
    for (const name of this.selected) if (!shown.has(name)) this.selected.delete(name);
    this.turn(0);
  }

  /** Put these where they belong and leave all others where they are: what changes by itself moves nothing else. */
  insert(names) {
    if (names.length > PAGE) {
      this.arrange();
      return;
    }
    const compare = this.compare();
    this.names = this.names.filter((name) => !names.includes(name));
    for (const name of names.filter(this.passes()).sort(compare)) {
      const at = this.names.findIndex((other) => compare(name, other) < 0);
      this.names.splice(at < 0 ? this.names.length : at, 0, name);
    }
    this.turn(0);
  }

  passes() {
    const test = filterFor(this.chosen);
    return (name) => {
      const { row, folded } = this.facts.get(name);
      return test(row, folded);
    };
  }

  compare() {
    const compare = comparator(this.sort, this.place);
    return (one, other) => compare(this.row(one), this.row(other));
  }

  sortBy(field) {
    const down = this.sort.field === field ? !this.sort.down : field === "updated" || field === "confidence";
    this.sort = { field, down };
    this.page = 0;
    this.arrange();
  }

  turn(by) {
    const last = Math.max(0, Math.ceil(this.names.length / PAGE) - 1);
    this.page = Math.min(last, Math.max(0, this.page + by));
  }

  /** The names on this page; `keeps` are shown too where they have been pushed off it. */
  onPage(keeps = []) {
    const names = this.names.slice(this.page * PAGE, (this.page + 1) * PAGE);
    return [...names, ...keeps.filter((name) => !names.includes(name) && this.facts.has(name))];
  }
}
