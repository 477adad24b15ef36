/** What the colours are, each a switch that hides its lane. */
function legend(loads, hidden, onChange) {
  const has = (list) => loads.some((load) => list(load).some((bytes) => bytes > 0));
  const entries = laneTable.stacked.filter((lane) => has((load) => load.high[lane]))
      .map((lane) => ({key: lane, text: lane, colour: `lane-${lane}`, kind: 'area'}));
  if (has((load) => load.high.file)) {
    entries.push({key: 'file', text: 'file mappings (reserved)', colour: 'lane-file', kind: 'dashed'});
  }
  if (loads.some((load) => load.resident.at_ns.length > 0)) {
    entries.push({key: 'rss', text: 'rss, dashed: rss_anon (sampled)', colour: 'resident', kind: 'line'});
  }
  return el('div', {class: 'legend', role: 'group', 'aria-label': 'Lanes'}, entries.map((entry) => {
    const button = el('button', {type: 'button', 'aria-pressed': String(!hidden.has(entry.key)), click: () => {
      hidden.has(entry.key) ? hidden.delete(entry.key) : hidden.add(entry.key);
      button.setAttribute('aria-pressed', String(!hidden.has(entry.key)));
      onChange();
    }}, el('span', {class: `swatch ${entry.kind}`, style: {'--tone': `var(--${entry.colour})`}}), entry.text);
    return button;
  }));
}

/** File mappings that dwarf the footprint would press it flat: then they start hidden. */
function hiddenAtFirst(loads) {
  const most = (list) => list.reduce((a, b) => Math.max(a, b), 0);
  const peak = Math.max(...loads.map((load) => load.data.peak.bytes));
  const file = Math.max(...loads.map((load) => most(load.high.file)));
  return new Set(file > 4 * peak ? ['file'] : []);
}
