/** An element that opens; what it shows then is made only where somebody looks: there may be a thousand. */
function opening(summary, make) {
  const details = el('details', {class: 'stack'}, summary);
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) {
      details.append(...make());
    }
  });
  return details;
}

/**
 * The function that asked, and the whole stack when it is opened.
 *
 * @param told what tells it from others whose function reads the same: see stackRows; may be empty.
 * @param make what is shown when it is opened.
 */
function stackDetails(stack, told = [], make = () => frames.list(stack)) {
  if (stack.length === 0) {
    return cell.text('no stack was recorded');
  }
  const asking = stack[stack.asking];
  const summary = el('summary', {title: frames.whole(asking)},
      el('span', {class: 'function'}, names.lines(asking.name)), ' ',
      el('span', {class: 'place'}, frames.place(asking)),
      told.map(([word, name]) => [' ', el('span', {class: 'told'}, word), ' ',
                                  el('span', {class: 'place'}, names.lines(name))]));
  return {text: asking.name, node: opening(summary, make)};
}

/** What was alive at an instant as the text report has it: stacks that read the same are one row. */
const stackRows = (() => {
  /** Code without a name: `libfoo.so+0xb166b`. */
  const isNamed = (frame) => !/\+0x[0-9a-f]+$/.test(frame.name);
  const words = (frame) => (isNamed(frame) ? [frame.name, frames.place(frame)].filter(Boolean).join(' ') : frame.name);
  /** The index of the first frame that reads otherwise in `other`, or is not there; -1: none. */
  const firstDifference = (list, other) =>
      list.findIndex((frame, i) => !other[i] || words(frame) !== words(other[i]));

  /** From the function that asked outwards. Between lines of Python the interpreter's calls tell nothing. */
  function callers(stack) {
    const outwards = stack.slice(stack.asking);
    return outwards[0].isPython ? outwards.filter((frame) => frame.isPython) : outwards;
  }

  /** What the request went through, from the function that asked inwards. */
  const passers = (stack) => stack.slice(0, stack.asking).reverse();

  /**
   * The nearest frame by which a list tells a stack from all others that it tells it from at all; or none. One with a
   * name that no other has comes first.
   */
  function tellingFrame(listOf, stack, others) {
    const list = listOf(stack);
    const furthest = Math.max(-1, ...others.map((other) => firstDifference(list, listOf(other))));
    const known = new Set(others.flatMap((other) => listOf(other).map(words)));
    const own = furthest < 0 ? null : list.find((frame) => isNamed(frame) && !known.has(words(frame)));
    return own ?? list[furthest];
  }

  /** The function of an extension that asked, as the text report has it, where it tells a stack from all others. */
  function tellingNative(stack, others) {
    const native = stack[stack.native];
    const isTold = native && stack.native < stack.asking && others.length > 0 &&
        others.every((other) => !other[other.native] || words(other[other.native]) !== words(native));
    return isTold ? native : null;
  }

  /** What tells a stack from others whose asking function reads the same: [[`from`, `load_shard loader.cpp:40`]]. */
  function telling(stack, others) {
    const from = tellingFrame(callers, stack, others);
    const alike = others.filter((other) => firstDifference(callers(stack), callers(other)) < 0);
    const passer = tellingNative(stack, alike) ?? tellingFrame(passers, stack, alike);
    return [['through', passer], ['from', from]].filter(([, frame]) => frame)
        .map(([word, frame]) => [word, words(frame)]);
  }

  /** Where a folded part branched off; empty at the root. */
  function through(part, forest) {
    const [frame] = forest.stackOf(part.node);
    return frame ? ` through ${frame.name}` : '';
  }

  /** Told apart are so many rows that read the same: nobody compares more. */
  const MOST_ALIKE = 32;

  /** Sets `told` of rows with a `stack`: what tells each from others that read the same. */
  function tellApart(rows) {
    const alike = new Map();
    for (const row of rows) {
      const key = row.stack.length ? words(row.stack[row.stack.asking]) : '';
      alike.set(key, [...(alike.get(key) ?? []), row].slice(0, MOST_ALIKE));
    }
    for (const [key, same] of alike) {
      same.forEach((row) => {
        row.told = key === '' ? []
            : telling(row.stack, same.filter((other) => other !== row).map((other) => other.stack));
      });
    }
  }

  return {
    tellApart,

    /**
     * @param stacks what was alive, most bytes first: see Load.stacksAt.
     * @param lives of each row, when its blocks came and went, in words; none is known but of the peak's.
     * @return {number, bytes, blocks, lane, parts, stack, told, life} each: `parts` are its stacks, `stack` the largest one's
     *     frames, `told` what tells it from rows that read the same. What has no row of its own is one with `isRest`.
     */
    of(stacks, forest, lives = []) {
      const rows = new Map();
      for (const part of stacks) {
        // Of what has no row, branches that read the same are one.
        const key = part.row || `${through(part, forest)} ${part.lane}`;
        if (!rows.has(key)) {
          rows.set(key, {number: part.row, bytes: 0, blocks: 0, lane: part.lane, parts: [], isRest: part.row === 0, told: [],
                         life: lives[part.row - 1]});
        }
        const row = rows.get(key);
        row.bytes += part.bytes;
        row.blocks += part.blocks;
        row.parts.push(part);
      }
      const list = [...rows.values()];
      for (const row of list) {
        row.stack = forest.stackOf((row.parts.find((part) => part.folded === 0) ?? row.parts[0]).node);
      }
      tellApart(list.filter((row) => !row.isRest));
      return list;
    },

    /** Of folded ones: `3 smaller stacks through main`. */
    restText(parts, forest) {
      const folded = parts.reduce((sum, part) => sum + part.folded, 0);
      return `${units.counted(folded, 'smaller stack', 'smaller stacks')}${through(parts[0], forest)}`;
    },

    /** A row opened: its life, what came into its blocks, and its stack, or each of those that read the same with what it holds. */
    opened(row, forest) {
      const life = row.life ? row.life.split('\n').map((line) => el('p', {class: 'life'}, line)) : [];
      return [...life, ...(row.parts.length === 1 ? frames.list(row.stack) : this.partsOf(row, forest))];
    },

    partsOf(row, forest) {
      const held = (part) => `${units.size(part.bytes)} in ${units.counted(part.blocks, 'block', 'blocks')}`;
      return row.parts.map((part) => el('div', {class: 'stack-part'}, part.folded
          ? `${held(part)}: ${this.restText([part], forest)}`
          : opening(el('summary', {}, held(part)), () => frames.list(forest.stackOf(part.node)))));
    },
  };
})();
