/** The page of one load. */
function reportPage(data) {
  const load = new Load(data.loads[0], '');
  const warp = Warp.ofTime(load.end);
  const hidden = hiddenAtFirst([load]);
  const layers = new Layers(data, [load]);
  const track = new LoadTrack(load, warp, {title: '', hidden, layers, height: 380});
  const axis = {ticksIn: (view, most) => ticks.times(view.from * load.end, view.to * load.end, most)
      .map((tick) => ({x: tick.value / load.end, text: tick.text}))};
  const timeline = new Timeline((x) => pick(load.instantFor(warp.nsAt(x)), warp.nsAt(x)));
  const forest = new Forest(data.forest);
  const live = load.instants.length
      ? new LiveSetPanel(forest, load, (index) => pick(index, null)) : null;

  function pick(index, asked) {
    if (live) {
      const ns = load.instants[index].at_ns;
      live.show(index, asked);
      timeline.mark([[track, ns]]);
      timeline.reveal(warp.xOf(ns));
    }
  }

  /** What a finding is about: it may be screens away from its button. */
  function show(ns) {
    pick(load.nearestInstant(ns), ns);
    live?.root.scrollIntoView();
  }

  const redraw = () => timeline.show([track], axis);
  redraw();
  if (live) {
    const {asked_ns: asked} = load.data;
    pick(asked === null ? load.peakIndex : load.nearestInstant(asked), null);
  }
  return [
    masthead(load.data.headline, load.data.peak_sum),
    details.warnings(load.data.warnings), details.facts(load),
    el('section', {id: 'timeline', 'aria-label': 'Timeline'}, timelineBar(timeline, [load], hidden, layers, redraw),
       timeline.root),
    anatomy.findings(load, forest, show, () => timeline.redraw()),
    anatomy.chain(load),
    details.tensors(load, forest), live?.root,
    load.data.usage ? new UsagePanel(load.data.usage, forest).root : null, el('div', {class: 'grid'}, details.all(load)), details.footer([load])];
}

/** @param sentence what the headline is made of; may be empty. */
function masthead(headline, sentence) {
  return el('header', {}, el('div', {class: 'brand'}, 'tidemark', theme.switcher()), el('h1', {}, headline),
     sentence ? el('p', {class: 'soft'}, sentence) : null);
}

/** A choice of several words, [value, text, isDisabled] each, with what stands before it. */
function choice(label, id, options, chosen, onChange) {
  return el('label', {}, `${label} `,
      el('select', {id, change: (event) => onChange(event.target.value)},
         options.map(([value, text, isDisabled]) =>
             el('option', {value, selected: value === chosen, disabled: isDisabled}, text))));
}

/** The buttons above a timeline, and below them what its colours are. */
function timelineBar(timeline, loads, hidden, layers, redraw, ...more) {
  const NAMES = {function: 'function', module: 'module', tensor: 'layer of the model', phase: 'phase of allocation',
                 lane: 'kind of memory'};
  const colours = el('div', {});
  let shown = null;
  let moments = [];
  const showMoment = () => shown?.show(legendSamples(loads, moments));
  const showColours = () => {
    shown = legend(loads, hidden, layers, redraw);
    colours.replaceChildren(shown.root);
    showMoment();
  };
  timeline.onMoment = (list) => {
    moments = list;
    showMoment();
  };
  timeline.tellMoment(null);
  // Who knows it from elsewhere looks for it here.
  const unknown = layers.words.includes('tensor') ? []
      : [['tensor', `${NAMES.tensor} (none known)`, true]];
  const by = choice('Footprint by', 'by', [...layers.words.map((word) => [word, NAMES[word]]), ...unknown], layers.by,
      (word) => {
        layers.by = word;
        moments = [];
        showColours();
        timeline.tellMoment(null);
        redraw();
      });
  showColours();
  const button = (text, action, title) =>
      el('button', {type: 'button', title, 'aria-label': title, click: action}, text);
  return el('div', {class: 'bar'}, el('div', {class: 'buttons'}, by, more,
         el('span', {class: 'zoom'}, button('−', () => timeline.zoom(2), 'Zoom out'),
            button('+', () => timeline.zoom(0.5), 'Zoom in'), button('Fit', () => timeline.fit(), 'Show all'))),
      el('p', {class: 'hint soft with-mouse'}, 'Wheel: zoom. Drag: move. Double click: all. Click: what was alive then.'),
      el('p', {class: 'hint soft with-fingers'}, 'Tap: what was alive then. Drag: move.'), colours);
}
