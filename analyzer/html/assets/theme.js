/** The colours, and the switch between light and dark. */
const theme = (() => {
  const listeners = [];
  let known = {};

  function forget() {
    known = {};
    listeners.forEach((listener) => listener());
  }

  function set(name) {
    if (name === 'auto') {
      delete document.documentElement.dataset.theme;
    } else {
      document.documentElement.dataset.theme = name;
    }
    forget();
  }

  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', forget);
  matchMedia('print').addEventListener('change', forget);

  return {
    /** The colour of a custom property, for a canvas. */
    colour(name) {
      known[name] ??= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
      return known[name];
    },
    /** Calls `listener` whenever the colours changed. */
    onChange: (listener) => listeners.push(listener),
    switcher() {
      const options = ['auto', 'light', 'dark'].map((name) => el('option', {value: name}, name));
      return el('label', {class: 'theme'}, 'Colours ',
          el('select', {change: (event) => set(event.target.value)}, options));
    },
  };
})();

/** The lanes, as the page's data lists them. */
const laneTable = {
  /** Those of the footprint, from the bottom of the stack up. */
  stacked: [],
  /** Their names by number. */
  names: [],
  read(list) {
    this.stacked = list.filter((lane) => lane.in_footprint).map((lane) => lane.key);
    list.forEach((lane) => {
      this.names[lane.number] = lane.key;
    });
  },
};
