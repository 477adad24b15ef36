/** Why the peak is as high as it is; each part only where the page has it. */
const anatomy = {
  /**
   * `onShow` is called with the time of a finding that is to be looked at, `onTake` when what is taken away of the
   * load has changed.
   */
  findings(load, forest, onShow, onTake) {
    const list = load.data.findings ?? [];
    const notes = load.data.notes ?? [];
    const {unexplained} = load.data;
    if (list.length + notes.length === 0 && !unexplained) {
      return null;
    }
    const said = el('div', {class: 'what-if', 'aria-live': 'polite'});
    const take = (bit, isTicked) => {
      load.taken = isTicked ? load.taken & ~bit : load.taken | bit;
      said.replaceChildren(...anatomy.whatIf(load));
      onTake();
    };
    const tickOf = (i) => {
      const at = (load.data.what_if?.findings ?? []).indexOf(i);
      return at < 0 ? null : el('input', {type: 'checkbox', checked: true, title: 'untick: the peak without it',
                                          'aria-label': `${list[i].title}; untick: the peak without it`,
                                          change: (event) => take(1 << at, event.target.checked)});
    };
    const items = list.map((finding, i) => el('li', {class: 'finding'},
        el('h3', {}, el('span', {}, tickOf(i), finding.title), el('span', {class: 'size'}, units.size(finding.bytes))),
        el('p', {}, finding.sentence),
        finding.without === '' ? null : el('p', {class: 'soft'}, finding.without),
        finding.advice === '' ? null : el('p', {class: 'advice'}, finding.advice),
        el('p', {class: 'buttons'}, el('button', {
          type: 'button', 'aria-label': `Show ${units.time(finding.at_ns)}, ${finding.title}`,
          click: () => onShow(finding.at_ns)}, `Show ${units.time(finding.at_ns)}`)),
        finding.node === 0 ? null : stackDetails(forest.stackOf(finding.node)).node));
    return section(`findings${load.name}`, titled('Why the peak is this high', load), said,
        el('ul', {class: 'findings'}, items),
        unexplained ? el('p', {class: 'why-note'}, unexplained.sentence) : null,
        unexplained ? el('ul', {class: 'groups'}, unexplained.groups.map((group) => el('li', {}, group))) : null,
        load.data.none_lowers ? el('p', {class: 'why-note'}, load.data.none_lowers) : null,
        notes.map((note) => el('p', {class: 'why-note'}, note)));
  },

  /** What is said of the load without what is unticked. */
  whatIf(load) {
    const without = load.without();
    return without === null ? [] : [
      el('p', {}, el('strong', {}, without.sentence)),
      el('p', {class: 'soft'}, 'The timeline cuts it off the top, whichever layers it is of.'),
      el('p', {class: 'buttons'}, el('button', {type: 'button', click: () => anatomy.copy(without.markdown)},
          'Copy as markdown'))];
  },

  /** A page from a disk may not have a clipboard: what is selected can be copied everywhere. */
  copy(text) {
    const area = el('textarea', {class: 'copied', readonly: true, rows: 8});
    area.value = text;
    document.querySelector('.what-if textarea')?.remove();
    [...document.querySelectorAll('.what-if')].find((node) => node.childElementCount > 0)?.append(area);
    area.select();
    document.execCommand('copy');
  },

  /** The way of the model's bytes, step by step: files on the left, what held them last on the right. */
  chain(load) {
    const {chain} = load.data;
    if (!chain || chain.nodes.length === 0) {
      return null;
    }
    const columns = [];
    chain.nodes.forEach((node, i) => {
      (columns[node.depth] ??= []).push(anatomy.chainNode(node, chain.edges.filter((edge) => edge.to === i), chain));
    });
    return section('chain', 'The way of the model’s bytes',
        el('div', {class: 'chain'}, columns.filter(Boolean).map((nodes) => el('div', {class: 'chain-step'}, nodes))));
  },

  /** A file without its folder, with how many more there are, a function without its place. */
  shortName: (node) => (node.kind === 'file'
      ? `${baseName(node.name)}${node.files > 1 ? ` and ${units.count(node.files - 1)} more` : ''}`
      : node.name.replace(/ \([^()]*:\d+\)$/, '')),

  /** Two steps may be of one function: `load` reads, and `load` copies. */
  placeOf: (node) => (node.kind === 'file' ? null : node.name.match(/ \(([^()]*:\d+)\)$/)?.[1]),

  chainNode(node, arrivals, chain) {
    const VERBS = {read: 'read', mmap: 'mapped', copy: 'copied'};
    const came = arrivals.map((edge) => el('div', {class: 'soft'},
        `${VERBS[edge.kind]} from ${anatomy.shortName(chain.nodes[edge.from])}: ${units.size(edge.bytes)}`));
    const held = node.kind === 'file' ? units.size(node.bytes)
        : `at most ${units.size(node.bytes)}, ${units.size(node.peak_bytes)} at the peak`;
    return el('div', {class: `chain-node ${node.kind}`, style: {'--tone': `var(--lane-${node.lane})`}},
        el('div', {title: node.name}, el('span', {class: 'function'}, names.lines(anatomy.shortName(node))), ' ',
           el('span', {class: 'place'}, anatomy.placeOf(node))),
        el('div', {}, held), came, node.unfollowed ? el('div', {class: 'unfollowed'}, node.unfollowed) : null);
  },
};
