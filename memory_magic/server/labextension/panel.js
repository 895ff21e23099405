// The panel in JupyterLab and Notebook 7. This is the file that a bundler would have made: JupyterLab loads it as a
// script, gives the container that it leaves behind what it shares, and takes a plugin out of it. The table comes from
// the folder beside it when the panel is first shown.
(() => {
  const NAME = "memory-magic";
  const ID = `${NAME}-panel`;
  const SCRIPT = document.currentScript.src;
  const FOLDER = new URL(`${SCRIPT.match(/remoteEntry\.(\w+)\.js/)[1]}/`, SCRIPT);
  const ICON = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3
    jp-icon-selectable" fill="#616161" fill-rule="evenodd" d="M6 2.5h12A1.5 1.5 0 0 1 19.5 4v17.5L12 17.6l-7.5 3.9V4A1.5
    1.5 0 0 1 6 2.5zM8 7v1.7h8V7zm0 4v1.7h8V11z"/></svg>`;
  const MISSING = "The server does not know memory-magic: install it where the server runs, and start the server again";
  const COLUMNS = ["scope", "date", "category", "confidence", "expires", "source", "id"];
  let scope;

  /** Give a module that JupyterLab shares: the one in use or, where none is yet, the latest. */
  async function shared(name) {
    const versions = scope[name];
    const latest = Object.keys(versions).sort((a, b) => b.localeCompare(a, undefined, { numeric: true }))[0];
    const entry = Object.values(versions).find(({ loaded }) => loaded) ?? versions[latest];
    entry.loaded = 1;
    return (await entry.get())();
  }

  /** Give the function that asks the server for something; it promises an answer, whatever happens. */
  function asking(ServerConnection, settings) {
    return async (request, query = "") => {
      const refused = (message) => ({ ok: false, code: "", message });
      try {
        const url = `${settings.baseUrl}api/memory${query}`;
        const sent = { method: "POST", body: JSON.stringify(request) };
        const response = await ServerConnection.makeRequest(url, sent, settings);
        const said = await response.json().catch(() => ({}));
        if ("ok" in said) return said;
        return refused(response.status === 404 ? MISSING : `The server refused it (${response.status})`);
      } catch {
        return refused("The server does not answer");
      }
    };
  }

  /** The table's way to the memory: it looks every few seconds, but only while somebody can see what it finds. */
  class Transport {
    constructor(ask) {
      this.busy = "No answer yet: the server is busy, or another program keeps the file";
      Object.assign(this, { ask, seconds: 2, seen: "", calls: 0, shown: false, looking: false, tell: null });
      document.addEventListener("visibilitychange", () => this.look());
    }

    open(tell) {
      this.tell = tell;
      this.look();
    }

    close() {
      this.tell = null;
    }

    show(shown) {
      this.shown = shown;
      this.look();
    }

    async call(request) {
      this.calls += 1;
      const said = await this.ask(request);
      this.calls += 1;
      this.look();
      return said;
    }

    async look() {
      clearTimeout(this.timer);
      if (this.looking || !this.tell || !this.shown || document.hidden) return;
      this.looking = true;
      let calls, said;
      do {
        calls = this.calls;
        // What only looks does not keep a server alive that ends when nobody uses it.
        said = await this.ask({ action: "list", seen: this.seen }, "?no_track_activity=1");
      } while (calls !== this.calls); // what was read before a change is not shown after it
      this.looking = false;
      this.timer = setTimeout(() => this.look(), this.seconds * 1000);
      this.tell?.(said.ok ? { ...said, reset: !this.seen } : { trouble: said.message });
      this.seen = said.seen ?? this.seen;
    }
  }

  /** Load the table, and show it in an element. */
  async function mountTable(element, transport) {
    const styles = ["table.css", "panel.css"].map((name) => {
      const link = document.createElement("link");
      const loaded = new Promise((resolve) => { link.onload = link.onerror = resolve; });
      Object.assign(link, { rel: "stylesheet", href: new URL(name, FOLDER).href });
      document.head.append(link);
      return loaded;
    });
    const [{ mount }] = await Promise.all([import(new URL("table.js", FOLDER).href), ...styles]);
    mount(element, transport);
  }

  function panelClass(Widget) {
    return class Panel extends Widget {
      constructor(transport, icon) {
        super();
        this.transport = transport;
        this.id = ID;
        this.addClass(ID);
        Object.assign(this.title, { icon, caption: "Memory" });
        this.setColumns(["scope", "date"]);
      }

      setColumns(columns) {
        this.node.dataset.columns = columns.join(" ");
      }

      onAfterShow() {
        this.transport.show(true);
        this.mounted ??= mountTable(this.node, this.transport).catch((error) => {
          console.warn(`${NAME}: the panel could not be loaded`, error);
          this.node.textContent = "The panel could not be loaded; load the page again";
        });
      }

      onBeforeHide() {
        this.transport.show(false);
      }

      async onActivateRequest() {
        await this.mounted;
        this.node.querySelector("textarea")?.focus();
      }
    };
  }

  function activate(app, palette, registry, restorer, { ServerConnection, Widget, LabIcon }) {
    const { commands, shell, serviceManager } = app;
    const icon = new LabIcon({ name: `${NAME}:memory`, svgstr: ICON });
    const transport = new Transport(asking(ServerConnection, serviceManager.serverSettings));
    const panel = new (panelClass(Widget))(transport, icon);
    commands.addCommand(`${NAME}:open`, {
      label: "Memory",
      caption: "Show the facts of your memory",
      execute: () => shell.activateById(ID),
    });
    commands.addCommand(`${NAME}:settings`, {
      label: "Memory Settings…",
      caption: "Choose what the memory panel shows, and how often it looks",
      isVisible: () => commands.hasCommand("settingeditor:open"),
      execute: () => commands.execute("settingeditor:open", { query: "Memory" }),
    });
    for (const command of [`${NAME}:open`, `${NAME}:settings`]) palette?.addItem({ command, category: "Memory" });
    shell.add(panel, "left", { rank: 700, type: "Memory" });
    restorer?.add(panel, ID);
    follow(registry, panel).catch((error) => console.warn(`${NAME}: the settings of the panel count for nothing`, error));
  }

  /** Let the settings count, now and when they change. */
  async function follow(registry, panel) {
    const settings = await registry?.load(`${NAME}:plugin`);
    const apply = () => {
      panel.setColumns(COLUMNS.filter((name) => settings.composite[name]));
      panel.transport.seconds = settings.composite.seconds;
      panel.transport.look();
    };
    settings?.changed.connect(apply);
    if (settings) apply();
  }

  async function makePlugin() {
    const [application, apputils, registry, services, widgets, components] = await Promise.all([
      "@jupyterlab/application", "@jupyterlab/apputils", "@jupyterlab/settingregistry",
      "@jupyterlab/services", "@lumino/widgets", "@jupyterlab/ui-components",
    ].map(shared));
    return {
      id: `${NAME}:plugin`,
      description: "A panel with the facts of your memory.",
      autoStart: true,
      optional: [apputils.ICommandPalette, registry.ISettingRegistry, application.ILayoutRestorer],
      activate(app, ...given) {
        try {
          activate(app, ...given, { ...services, ...widgets, ...components });
        } catch (error) {
          console.warn(`${NAME}: there is no panel`, error); // and JupyterLab starts as always
        }
      },
    };
  }

  window._JUPYTERLAB = window._JUPYTERLAB ?? {};
  window._JUPYTERLAB[NAME] = {
    init(given) {
      scope = given;
    },
    async get() {
      const plugin = await makePlugin();
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
