// The table in a notebook's output: its transport is the widget's own channel to the kernel.
import { mount } from "./table.js";

/** Calls and states over the messages of a widget's model, of which each view of it gets all. */
function kernel(model) {
  const view = `${Date.now()}-${Math.random()}`;
  const waiting = new Map();
  let number = 0;
  let told = () => {};
  const hear = (message) => {
    if (message.view !== null && message.view !== view) return;
    if (message.state) told(message.state);
    else if ("query" in message) told({ query: message.query });
    else {
      waiting.get(message.number)?.(message.answer);
      waiting.delete(message.number);
    }
  };
  return {
    busy: "No answer yet: the kernel is busy with something else. If it was restarted, run the cell again",
    open(tell) {
      told = tell;
      model.on("msg:custom", hear);
      model.send({ view, hello: true });
    },
    call(request) {
      number += 1;
      return new Promise((resolve) => {
        waiting.set(number, resolve);
        model.send({ view, number, request });
      });
    },
    close() {
      model.off("msg:custom", hear);
      model.send({ view, bye: true });
    },
  };
}

export default { render: ({ model, el }) => mount(el, kernel(model)) };
