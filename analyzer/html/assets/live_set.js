/** Trees of functions for flame graphs, from what was alive at an instant. */
const trees = (() => {
  const branch = (name, title, kind) => ({name, title, kind, children: new Map(), held: [0, 0],
                                          blocks: [0, 0], lanes: {}});

  function add(node, side, stack) {
    node.held[side] += stack.bytes;
    node.blocks[side] += stack.blocks;
    node.lanes[stack.lane] = (node.lanes[stack.lane] ?? 0) + stack.bytes;
  }

  function childOf(node, key, make) {
    if (!node.children.has(key)) {
      node.children.set(key, make());
    }
    return node.children.get(key);
  }

  return {
    /**
     * @param sides lists of stacks, one or two; a function is the same one in both by its name.
     * @param keyOf what makes two frames the same.
     * @param pathOf a node's stack as functions, from the root on.
     */
    of(forest, sides, keyOf, pathOf) {
      const root = branch('all', 'everything that was alive');
      sides.forEach((stacks, side) => stacks.forEach((stack) => {
        let node = root;
        add(node, side, stack);
        for (const frame of pathOf(stack.node)) {
          node = childOf(node, keyOf(frame),
                         () => branch(frame.alone, frames.whole(frame), ''));
          add(node, side, stack);
        }
        if (stack.folded > 0) {
          const rest = childOf(node, 'folded', () => branch('smaller stacks',
              'Stacks that are too small to be listed one by one: below the table is what lists them.', 'folded'));
          add(rest, side, stack);
        } else if (stack.node === 0) {
          add(childOf(node, 'none', () => branch('no stack', 'No stack was recorded.', 'folded')), side, stack);
        }
      }));
      return root;
    },

    /** The lane that holds most of a node. */
    laneOf: (node) => Object.entries(node.lanes).reduce((a, b) => (b[1] > a[1] ? b : a), ['heap', 0])[0],
  };
})();

/** What was alive at an instant: its sentence, a flame graph and a table. */
class LiveSetPanel {
  /** `onStep` is called with the index of the instant that is to be shown. */
  constructor(forest, load, onStep) {
    this.forest = forest;
    this.load = load;
    this.onStep = onStep;
    this.note = el('p', {class: 'note', 'aria-live': 'polite', id: 'instant-note'});
    this.title = el('h2', {id: 'live-title'});
    this.flame = new Flame({
      weight: (node) => node.held[0],
      label: (node) => node.name,
      size: (node) => units.size(node.held[0]),
      note: (node) => `${units.size(node.held[0])}, ${units.share(node.held[0], this.bytes)}, ` +
          units.counted(node.blocks[0], 'block', 'blocks'),
      paint: (node) => ({kind: node.kind, colour: `var(--lane-${trees.laneOf(node)})`,
                         share: `${38 + node.name.length * 7 % 24}%`}),
    });
    this.list = el('div', {id: 'live-table'});
    /** The rows are in the order of what has changed since the peak. */
    this.isByChange = false;
    const step = (text, by) => el('button', {type: 'button', click: () => this.step(by)}, text);
    this.root = el('section', {id: 'live', 'aria-labelledby': 'live-title'}, this.title,
        el('p', {class: 'buttons'}, step('◀ Earlier', -1),
           el('button', {type: 'button', id: 'to-peak', click: () => onStep(load.peakIndex)}, 'Peak'),
           step('Later ▶', 1), this.behindPeak(), this.note),
        this.largestBlock(), this.flame.root, this.list);
  }

  /** To 100 ms after the peak, as the window's `shift + P`; null where the load ends before. */
  behindPeak() {
    const {load} = this;
    const ns = load.instants[load.peakIndex]?.at_ns + 1e8;
    return ns < load.end - 1
        ? el('button', {type: 'button', id: 'behind-peak', click: () => this.onStep(load.nearestInstant(ns))}, 'Peak + 100 ms')
        : null;
  }

  /** The largest block at the peak; opened, its life, what is in it and came into it, and its stack. */
  largestBlock() {
    const {load, forest} = this;
    const {largest} = load.instants[load.peakIndex] ?? {};
    const row = largest && stackRows.of(load.stacksAt(load.peakIndex), forest).find(({number}) => number === largest.row);
    if (!row || row.stack.length === 0) {
      return null;
    }
    const asking = row.stack[row.stack.asking];
    const details = opening(el('summary', {title: frames.whole(asking)},
        `Largest block at the peak: ${units.size(largest.bytes)} by `, el('span', {class: 'function'}, names.lines(asking.name)), ' ',
        el('span', {class: 'place'}, frames.place(asking))),
        () => [...largest.lines.map((line) => el('p', {class: 'life'}, line)), ...frames.list(row.stack)]);
    details.id = 'largest-block';
    return details;
  }

  step(by) {
    this.onStep(numbers.clamp(this.index + by, 0, this.load.instants.length - 1));
  }

  /** @param asked the time that was clicked; null where the instant itself was chosen. */
  show(index, asked) {
    const instant = this.load.instants[index];
    const stacks = this.load.stacksAt(index);
    this.index = index;
    this.bytes = instant.bytes;
    const when = instant.is_peak ? 'at the peak' : `at ${units.fineTime(instant.at_ns)}${this.besidePeakText(instant)}`;
    const changed = instant.is_peak ? ''
        : `; ${this.changeWord()}: ${this.changeText(instant.bytes - this.load.data.peak.bytes)}`;
    this.title.replaceChildren(...withWholeSizes(`alive ${when}: ${units.size(instant.bytes)} from ` +
        `${units.counted(instant.stacks, 'stack', 'stacks')}${changed}`));
    this.note.textContent = this.sentence(instant, asked);
    this.flame.show(trees.of(this.forest, [stacks], (frame) => `${frame.function} ${frame.file}:${frame.line}`,
                             (node) => this.forest.outlineOf(node).reverse()));
    this.list.replaceChildren(this.table(instant, stacks), this.leftOut(instant, stacks));
  }

  /** How long after the peak, or before it. */
  besidePeakText(instant) {
    const after = instant.at_ns - this.load.instants[this.load.peakIndex].at_ns;
    return after === 0 ? '' : `, ${units.time(Math.abs(after))} ${after > 0 ? 'after' : 'before'} the peak`;
  }

  changeWord() {
    return this.index > this.load.peakIndex ? 'since the peak' : 'against the peak';
  }

  changeText(bytes) {
    return bytes === 0 ? '0 B' : units.signedSize(bytes);
  }

  /** By the size of the change, whichever way it went. */
  changeCell(bytes) {
    return {text: this.changeText(bytes), order: Math.abs(bytes), hint: `${units.count(bytes)} B`};
  }

  /** For the stored instant right after the peak: how long nothing much came back before it. */
  stoodText(instant) {
    const {instants, peakIndex} = this.load;
    const peakNs = instants[peakIndex].at_ns;
    const until = this.index === peakIndex + 1 ? this.load.peakStoodUntil(instant.at_ns) : peakNs;
    return until === peakNs ? '' : ` Until ${units.fineTime(until)}, ${units.time(until - peakNs)} after the peak, ` +
        'less than 1 % of it came back.';
  }

  /** Which instant this is, and how far it is from the one that was asked for. */
  sentence(instant, asked) {
    const name = instant.label ? `, ${instant.label}` : '';
    const what = `${units.exactTime(instant.at_ns)}${name}`;
    if (asked === null || Math.abs(asked - instant.at_ns) < 1) {
      return `This is the live set at ${what}.${this.stoodText(instant)}`;
    }
    const isNearest = this.load.nearestInstant(asked) === this.index;
    return `You clicked ${units.exactTime(Math.round(asked))}; ${isNearest ? 'the nearest' : 'the last one before'} of the ` +
        `${this.load.instants.length} stored live sets is that at ${what}.`;
  }

  /** How many stacks have no row of their own, and where they have one. */
  leftOut(instant, stacks) {
    const smaller = stacks.filter((stack) => stack.row === 0).reduce((sum, stack) => sum + stack.folded, 0);
    const at = instant.is_peak ? '' : ` --at ${instant.at_ns}ns`;
    return smaller === 0 ? '' : el('p', {class: 'soft', id: 'left-out'},
        'Smaller stacks are summed where they branch off. Each of them, as text: ',
        el('span', {class: 'command'}, `tidemark report${at} --top 0 FILE`));
  }

  /** Rows of the peak that have none here, with what they hold here: how many blocks that is is not known but of none. */
  missingRows(beside) {
    if (beside.missing.length === 0) {
      return [];
    }
    const peak = this.load.instants[this.load.peakIndex];
    const atPeak = new Map(stackRows.of(this.load.stacksAt(this.load.peakIndex), this.forest, peak.lives)
        .map((row) => [row.number, row]));
    return beside.missing.map(([number, bytes]) => {
      const row = atPeak.get(number);
      return {...row, bytes, blocks: bytes === 0 ? 0 : null, change: bytes - row.bytes};
    });
  }

  /** Sets the `change` of each row, and adds those of the peak that have none here, and what is left of all changes. */
  addChanges(rows, beside, instant) {
    rows.forEach((row) => {
      row.change = row.isRest ? null : beside.changes[row.number - 1];
    });
    const all = [...rows, ...this.missingRows(beside)];
    stackRows.tellApart(all.filter((row) => !row.isRest));
    const peak = this.load.instants[this.load.peakIndex];
    const stacksOf = (one) => one.bytes - one.unattributed;
    const rest = stacksOf(instant) - stacksOf(peak) - all.reduce((sum, row) => sum + (row.change ?? 0), 0);
    return rest === 0 ? all : [...all, {isSum: true, change: rest, least: beside.least}];
  }

  cellsOf(row, instant) {
    if (row.isSum) {
      return [cell.none(), cell.none(), cell.none(), cell.text(''),
              cell.text(`all stacks together that held less than ${units.size(row.least)} both then and at the peak`)];
    }
    // What is left of a row of the peak that is folded here stands in what it is folded into.
    const isFolded = row.blocks === null && row.bytes !== 0;
    return [isFolded ? cell.none() : cell.size(row.bytes),
            isFolded ? cell.none() : cell.share(row.bytes, instant.bytes),
            row.blocks === null ? cell.none() : cell.count(row.blocks), cell.text(row.lane), this.stackCell(row)];
  }

  /** The first cell is followed by what has changed since the peak, where that is known. */
  table(instant, stacks) {
    const beside = this.load.besidePeak(this.index);
    const known = stackRows.of(stacks, this.forest, instant.lives);
    const rows = (beside ? this.addChanges(known, beside, instant) : known).map((row) => ({
      className: row.isRest || row.isSum ? 'folded' : '', change: row.change, cells: this.cellsOf(row, instant)}));
    if (instant.unattributed !== 0) {
      const atPeak = this.load.instants[this.load.peakIndex].unattributed;
      rows.push({className: 'folded', change: instant.unattributed - atPeak, cells: [
          cell.signedSize(instant.unattributed), cell.none(), cell.none(),
          cell.text(''), cell.text('not attributed: what the totals hold and no stack explains')]});
    }
    const columns = [{title: 'bytes', isNumber: true}, {title: 'share', isNumber: true},
                     {title: 'blocks', isNumber: true}, {title: 'lane'}, {title: 'allocated by'}];
    if (beside) {
      columns.splice(1, 0, {title: this.changeWord(), isNumber: true,
                            hint: 'what each row holds more or less than at the peak'});
      rows.forEach((row) => row.cells.splice(1, 0, typeof row.change === 'number' ? this.changeCell(row.change) : cell.none()));
    }
    return table(columns, rows, {sortBy: beside && this.isByChange ? 1 : 0, limit: 25, narrow: 'name-last',
                                 onSort: (column) => {
                                   this.isByChange = beside !== null && column === 1;
                                 }});
  }

  stackCell(row) {
    if (row.isRest) {
      const text = stackRows.restText(row.parts, this.forest);
      return {text, node: el('span', {}, names.lines(text))};
    }
    return stackDetails(row.stack, row.told, () => stackRows.opened(row, this.forest));
  }
}
