/** Why the peak is as high as it is; each part only where the page has it. */
const anatomy = {
  /** `onShow` is called with the time of a finding that is to be looked at. */
  findings(load, forest, onShow) {
    const list = load.data.findings ?? [];
    const notes = load.data.notes ?? [];
    const {unexplained} = load.data;
    if (list.length + notes.length === 0 && !unexplained) {
      return null;
    }
    const items = list.map((finding) => el('li', {class: 'finding'},
        el('h3', {}, el('span', {}, finding.title), el('span', {class: 'size'}, units.size(finding.bytes))),
        el('p', {}, finding.sentence),
        finding.without === '' ? null : el('p', {class: 'soft'}, finding.without),
        finding.advice === '' ? null : el('p', {class: 'advice'}, finding.advice),
        el('p', {class: 'buttons'}, el('button', {type: 'button', click: () => onShow(finding.at_ns)},
            `Show ${units.time(finding.at_ns)}`)),
        finding.node === 0 ? null : stackDetails(forest.stackOf(finding.node)).node));
    return section(`findings${load.name}`, titled('Why the peak is this high', load), el('ul', {class: 'findings'}, items),
        unexplained ? el('p', {class: 'why-note'}, unexplained.sentence) : null,
        unexplained ? el('ul', {class: 'groups'}, unexplained.groups.map((group) => el('li', {}, group))) : null,
        notes.map((note) => el('p', {class: 'why-note'}, note)));
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

  /** A file without its folder, a function without its place. */
  shortName: (node) => (node.kind === 'file' ? node.name.slice(node.name.lastIndexOf('/') + 1)
                                             : node.name.replace(/ \([^()]*:\d+\)$/, '')),

  chainNode(node, arrivals, chain) {
    const VERBS = {read: 'read', mmap: 'mapped', copy: 'copied'};
    const came = arrivals.map((edge) => el('div', {class: 'soft'},
        `${VERBS[edge.kind]} from ${anatomy.shortName(chain.nodes[edge.from])}: ${units.size(edge.bytes)}`));
    const held = node.kind === 'file' ? units.size(node.bytes)
        : `at most ${units.size(node.bytes)}, ${units.size(node.peak_bytes)} at the peak`;
    return el('div', {class: `chain-node ${node.kind}`, style: {'--tone': `var(--lane-${node.lane})`}},
        el('div', {class: 'function', title: node.name}, anatomy.shortName(node)),
        el('div', {}, held), came);
  },
};
