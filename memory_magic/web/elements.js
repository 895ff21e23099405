// Elements as the table makes them: text goes in as text, and a notebook's own keys stay out.

/** Make an element; what is given is set as properties, but for `data`, `aria` and what only exists as an attribute. */
export function make(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (name === "data") Object.assign(element.dataset, value);
    else if (name === "aria") setAria(element, value);
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  // JupyterLab edits the notebook at d d, x, a, b where a button in an output has the focus; it looks for this
  // attribute on the focused element alone, before any listener of ours is asked.
  if (["BUTTON", "INPUT", "SELECT", "TEXTAREA"].includes(element.tagName)) {
    element.setAttribute("data-lm-suppress-shortcuts", "true");
  }
  element.append(...children);
  return element;
}

export function setAria(element, values) {
  for (const [name, value] of Object.entries(values)) {
    if (value === null) element.removeAttribute(`aria-${name}`);
    else element.setAttribute(`aria-${name}`, value);
  }
}

export function button(label, given = {}) {
  return make("button", { type: "button", textContent: label, ...given });
}

/** Set a text only where it is another one, so that a refresh leaves what is selected alone. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const SHAPES = {
  confirm: "M2.5 8.5l3.5 3.5 7.5-8",
  forget: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M7 7v4M9 7v4",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
};

/** A button with a small drawing, whose name is its label. */
export function iconButton(shape, given) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPES[shape]);
  svg.append(path);
  return make("button", { type: "button", ...given }, svg);
}

let made = 0;

/** An id that no other element of the page has. */
export function freshId() {
  made += 1;
  return `memory-magic-${made}-${Math.random().toString(36).slice(2, 8)}`;
}
