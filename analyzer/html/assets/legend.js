function swatch(kind, colour) {
  return el('span', {class: `swatch ${kind}`, style: {'--tone': `var(--${colour})`}});
}

/** What the colours are: of lanes and lines each a switch that hides it, of layers with their bytes at the peaks. */
function legend(loads, hidden, layers, onChange) {
  const has = (list) => loads.some((load) => list(load).some((bytes) => bytes > 0));
  const lanes = layers.current === null ? laneTable.stacked : [];
  const entries = lanes.filter((lane) => has((load) => load.high[lane]))
      .map((lane) => ({key: lane, text: lane, colour: `lane-${lane}`, kind: 'area'}));
  if (has((load) => load.high.file)) {
    entries.push({key: 'file', text: 'file mappings (reserved)', colour: 'lane-file', kind: 'dashed'});
  }
  if (loads.some((load) => load.resident.at_ns.length > 0)) {
    entries.push({key: 'rss', text: 'rss, dashed: rss_anon (sampled)',
                  colour: layers.current === null ? 'resident' : 'ink', kind: 'line'});
  }
  const shadow = loads.length > 1
      ? [el('span', {class: 'layer'}, swatch('area', 'phase-0'), 'footprint before')] : [];
  const named = (layers.current ?? []).filter((layer) => layer.at_peak.some((bytes) => bytes > 0) ||
                                                         !layer.colour.startsWith('rest')).reverse();
  return el('div', {class: 'legend', role: 'group', 'aria-label': 'Colours'}, named.map((layer) =>
      el('span', {class: 'layer'}, swatch('area', layer.colour), names.lines(layer.text),
         el('span', {class: 'soft'}, layer.at_peak.map(units.size).join(' → ')))), entries.map((entry) => {
    const button = el('button', {type: 'button', 'aria-pressed': String(!hidden.has(entry.key)), click: () => {
      hidden.has(entry.key) ? hidden.delete(entry.key) : hidden.add(entry.key);
      button.setAttribute('aria-pressed', String(!hidden.has(entry.key)));
      onChange();
    }}, swatch(entry.kind, entry.colour), entry.text);
    return button;
  }), shadow);
}

/** File mappings that dwarf the footprint would press it flat: then they start hidden. */
function hiddenAtFirst(loads) {
  const most = (list) => list.reduce((a, b) => Math.max(a, b), 0);
  const peak = Math.max(...loads.map((load) => load.data.peak.bytes));
  const file = Math.max(...loads.map((load) => most(load.high.file)));
  return new Set(file > 4 * peak ? ['file'] : []);
}
