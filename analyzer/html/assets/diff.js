/** The page of two loads on one axis. */
function diffPage(data) {
  const view = new DiffView(data);
  const {diff} = data;
  return [
    masthead(diff.headline, diff.main_change),
    details.warnings(diff.warnings), el('div', {class: 'grid'}, view.loads.map(details.facts)),
    el('section', {id: 'timeline', 'aria-label': 'Timeline'}, view.bar(), view.timeline.root),
    view.loads.map((load) => anatomy.findings(load, view.forest, (ns) => view.pickTime(load, ns),
                                                 () => view.timeline.redraw())),
    el('div', {class: 'grid'}, [diffTables.peaks(diff), diffTables.phases(diff)].filter(Boolean)),
    view.live, diffTables.stacks(diff, view.forest),
    el('div', {class: 'grid'}, view.loads.map((load) => [details.phases(load), details.files(load),
                                                          details.processes(load)])),
    details.footer(view.loads)];
}

/** The timelines of both, and what both held at an instant. */
class DiffView {
  constructor(data) {
    this.axes = data.diff.axes;
    this.forest = new Forest(data.forest);
    this.loads = [new Load(data.loads[0], 'before'), new Load(data.loads[1], 'after')];
    this.hidden = hiddenAtFirst(this.loads);
    this.layers = new Layers(data, this.loads);
    // By phase where phases match: by time, a load that is much faster leaves the axis empty.
    this.align = 'phase' in this.axes ? 'phase' : 'time';
    this.layout = 'stacked';
    this.order = 'callers';
    this.timeline = new Timeline((x) => this.pick(x));
    this.title = el('h2', {id: 'live-title'});
    this.note = el('p', {class: 'note', 'aria-live': 'polite', id: 'instant-note'});
    this.flame = new Flame({
      weight: (node) => node.held[0] + node.held[1],
      label: (node) => node.name,
      size: (node) => DiffView.change(node),
      // That it did not change is said by its colour, too.
      shortSize: ({held: [before, after]}) =>
          (before === after ? units.size(after) : units.signedSize(after - before)),
      note: (node) => `before ${units.size(node.held[0])}, after ${units.size(node.held[1])}: ${DiffView.change(node)}`,
      paint: (node) => DiffView.paint(node),
    });
    this.live = this.livePanel();
    this.arrange();
    this.showPeaks();
  }

  livePanel() {
    return el('section', {id: 'live', 'aria-labelledby': 'live-title'}, this.title,
        el('p', {class: 'buttons'}, el('button', {type: 'button', id: 'to-peak', click: () => this.showPeaks()},
           'Both peaks'),
           choice('Begin with', 'order', [['callers', 'callers'], ['askers', 'who asked']], this.order, (order) => {
             this.order = order;
             if (this.shown) {
               this.show(this.shown);
             }
           }), this.note),
        el('p', {class: 'soft'}, 'As wide as before and after together. ',
           el('span', {class: 'swatch area', style: {'--tone': 'var(--more)'}}), ' holds more after, ',
           el('span', {class: 'swatch area', style: {'--tone': 'var(--less)'}}), ' holds less.'),
        this.flame.root);
  }

  /** `+5.00 MiB`, `new, +5.00 MiB` of what one load alone has. */
  static change({held: [before, after]}) {
    const side = before === after ? '' : before === 0 ? 'new, ' : after === 0 ? 'removed, ' : '';
    return before === after ? `${units.size(after)} unchanged` : side + units.signedSize(after - before);
  }

  /** Full colour for what came or went, none for what stayed. */
  static paint(node) {
    const [before, after] = node.held;
    const change = (after - before) / Math.max(after + before, 1);
    return {kind: node.kind, colour: change > 0 ? 'var(--more)' : 'var(--less)',
            share: `${Math.round(75 * Math.abs(change))}%`};
  }

  bar() {
    const chosen = (label, key, options) => choice(label, key, options, this[key], (value) => {
      this[key] = value;
      this.arrange();
    });
    const NAMES = {time: 'time', phase: 'phases', bytes: 'bytes read'};
    return timelineBar(this.timeline, this.loads, this.hidden, this.layers, () => this.arrange(),
        chosen('Align by', 'align', Object.keys(this.axes).map((name) => [name, NAMES[name]])),
        chosen('Show', 'layout', [['stacked', 'one above the other'], ['overlay', 'overlaid']]));
  }

  /** Makes the tracks anew for the chosen alignment and layout. */
  arrange() {
    const axis = this.axes[this.align];
    const warps = axis.warps.map((warp) => Warp.of(warp));
    const sides = this.loads.map((load, i) => ({load, warp: warps[i]}));
    const option = (title, height, shadow) => ({title, hidden: this.hidden, layers: this.layers, height, shadow});
    this.tracks = this.layout === 'overlay'
        ? [new LoadTrack(sides[1].load, sides[1].warp, option('after; before as a dotted line', 340, sides[0]))]
        : sides.map((side, i) => new LoadTrack(side.load, side.warp,
              {...option(side.load.name, 250, i === 1 ? sides[0] : null), isShadowFilled: true}));
    this.sides = sides;
    this.timeline.show([...this.tracks, new DifferenceTrack(sides[0], sides[1], 110)],
                       this.align === 'time' ? this.timeAxis(warps) : DiffView.fixedAxis(axis));
    this.markShown();
  }

  timeAxis(warps) {
    const longest = Math.max(...warps.map((warp, i) => this.loads[i].end / warp.endX));
    return {ticksIn: (view, most) => ticks.times(view.from * longest, view.to * longest, most)
        .map((tick) => ({x: tick.value / longest, text: tick.text}))};
  }

  static fixedAxis(axis) {
    const list = axis.ticks.length ? axis.ticks : [{x: 0.5, text: axis.caption}];
    return {ticksIn: () => list};
  }

  pickTime(load, ns) {
    this.pick(this.sides[this.loads.indexOf(load)].warp.xOf(ns));
  }

  pick(x) {
    if (this.loads.every((load) => load.instants.length > 0)) {
      const asked = this.sides.map(({warp}) => warp.nsAt(x));
      this.show(this.loads.map((load, i) => load.instantFor(asked[i])));
    }
  }
  showPeaks() {
    if (this.loads.every((load) => load.instants.length > 0)) {
      this.show(this.loads.map((load) => load.peakIndex));
    }
  }

  show(indices) {
    this.shown = indices;
    const instants = this.loads.map((load, i) => load.instants[indices[i]]);
    const isPeak = instants.every((instant) => instant.is_peak);
    const sizes = instants.map((instant) => units.size(instant.bytes));
    this.title.replaceChildren(...withWholeSizes(
        `alive ${isPeak ? 'at the peaks' : 'at these instants'}: ${sizes[0]} → ${sizes[1]}`));
    this.note.textContent = `Stored live sets next to there: ${this.loads.map((load, i) => `${load.name} ` +
        `${units.exactTime(instants[i].at_ns)}${instants[i].label ? `, ${instants[i].label}` : ''}`).join('; ')}.`;
    this.flame.show(trees.of(this.forest, this.loads.map((load, i) => load.stacksAt(indices[i])),
                             (frame) => frame.key, (node) => (this.order === 'callers'
                                 ? this.fromCallers(node) : this.forest.outlineOf(node, true))));
    this.markShown();
  }

  /** The two programs are one, whatever their scripts are called: what both call is below one line of Python. */
  fromCallers(node) {
    const [outermost, ...rest] = this.forest.outlineOf(node).reverse();
    if (outermost === undefined) {
      return rest;
    }
    const isScript = outermost.isPython && outermost.name === '<module>';
    return [isScript ? {...outermost, key: outermost.name, alone: outermost.name} : outermost, ...rest];
  }

  markShown() {
    if (this.shown) {
      const times = this.loads.map((load, i) => load.instants[this.shown[i]].at_ns);
      this.timeline.mark(this.layout === 'overlay' ? [[this.tracks[0], times[1]]]
                                                   : this.tracks.map((track, i) => [track, times[i]]));
    }
  }
}

const diffTables = {
  peaks(diff) {
    const rows = [...diff.lanes, ...diff.load].map(([name, before, after, change, percent]) => ({cells: [
      {text: name.trim(), node: el('span', {class: name.startsWith(' ') ? 'part' : ''}, name.trim())},
      cell.text(before), cell.text(after), diffTables.changed(change, percent), cell.text(percent)]}));
    const number = (title) => ({title, isNumber: true});
    return section('peaks', 'Highest values', plainTable(['', 'before', 'after', 'change', ''].map(number), rows));
  },

  /** @param percent stands below it where a column of its own has no room. */
  changed(text, percent = '') {
    const kind = text.startsWith('+') ? 'more' : text.startsWith('-') ? 'less' : '';
    return {text, node: [el('span', {class: kind}, text), percent ? el('span', {class: 'percent'}, percent) : null]};
  },

  signed: (bytes) => ({...cell.signedSize(bytes), node: diffTables.changed(cell.signedSize(bytes).text).node}),

  stacks(diff, forest) {
    const rows = diff.stacks.map((stack) => ({cells: [
      cell.size(stack.before), cell.size(stack.after), diffTables.signed(stack.after - stack.before),
      {...cell.count(stack.after_blocks - stack.before_blocks)}, cell.text(stack.lane), cell.text(stack.note),
      stackDetails(forest.stackOf(stack.node))]}));
    const rest = (remainder, text) => remainder.stacks === 0 ? [] : [{className: 'folded', cells: [
      cell.size(remainder.before), cell.size(remainder.after), diffTables.signed(remainder.after - remainder.before),
      cell.none(), cell.text(''), cell.text(''), cell.text(`${units.count(remainder.stacks)} ${text}`)]}];
    rows.push(...rest(diff.more, 'more that changed'), ...rest(diff.unchanged, 'that did not change'));
    for (const row of rows) {
      row.cells[2].order = Math.abs(row.cells[2].order);
    }
    const [before, after] = diff.unattributed;
    const number = (title, hint) => ({title, isNumber: true, hint});
    return section('stacks', diff.stacks_title, table(
        [number('before'), number('after'), number('change', 'sorts by size of the change'), number('blocks'),
         {title: 'lane'}, {title: 'note'}, {title: 'allocated by'}], rows, {sortBy: 2, limit: 25, narrow: 'name-last'}),
        before || after ? el('p', {class: 'soft'}, `Not attributed: ${units.signedSize(before)} before, ` +
            `${units.signedSize(after)} after.`) : null);
  },

  phases(diff) {
    if (diff.phases.length === 0) {
      return null;
    }
    const size = (bytes) => (bytes === null ? cell.none() : cell.size(bytes));
    const rows = diff.phases.map(({name, before, after}) => ({cells: [cell.text(name), size(before), size(after),
      before === null || after === null ? cell.none() : diffTables.signed(after - before)]}));
    const number = (title) => ({title, isNumber: true});
    return section('diff-phases', 'Highest in each phase',
        table([{title: 'phase'}, number('before'), number('after'), number('change')], rows, {limit: 20}));
  },
};

/** A table of parts in their own order: it would mean nothing in another. */
function plainTable(columns, rows) {
  const kind = (i) => (i > 0 && columns[i].isNumber ? 'number' : '');
  return el('div', {class: 'table-box'}, el('table', {},
      el('thead', {}, el('tr', {}, columns.map((column, i) => el('th', {scope: 'col', class: kind(i)}, column.title)))),
      el('tbody', {}, rows.map((row) => el('tr', {}, row.cells.map((entry, i) =>
          el('td', {class: kind(i)}, [entry.node ?? entry.text])))))));
}
