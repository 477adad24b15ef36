function swatch(kind, colour) {
  return el('span', {class: `swatch ${kind}`, style: {'--tone': `var(--${colour})`}});
}

/** The layers of a legend: of when their bytes are, and each with those of every load. */
class LegendLayers {
  constructor(loads, layers) {
    this.loads = loads;
    this.layers = layers;
    this.all = layers.current ?? [];
    this.head = el('span', {class: 'layer when soft', id: 'legend-when'});
    // As wide whatever the instant: else the timeline below it would move under the pointer.
    const width = `${9 * loads.length + 3 * (loads.length - 1)}ch`;
    this.values = this.all.map(() => el('span', {class: 'soft value', style: {'min-width': width}}));
    this.entries = this.all.map((layer, i) => el('span', {class: 'layer'}, swatch('area', layer.colour),
        names.lines(layer.text), this.values[i]));
    this.nodes = this.all.length === 0 ? [] : [this.head, ...this.order().map((i) => this.entries[i])];
    this.show(null);
  }

  /** What has most at any instant first, and what has no name last, if it is ever anything. */
  order() {
    const isRest = (i) => this.all[i].colour.startsWith('rest');
    const most = this.all.map((layer, i) => Math.max(...layer.at_peak, ...this.loads.map((load) =>
        this.layers.rowsOf(load)[i].reduce((a, b) => Math.max(a, b), 0))));
    return [...this.all.keys()].reverse().filter((i) => most[i] > 0 || !isRest(i))
        .sort((a, b) => isRest(a) - isRest(b) || most[b] - most[a]);
  }

  /** @param samples of each load, see Layers.sample; null of one that has ended; null: the peaks. */
  show(samples) {
    const times = [...new Set((samples ?? []).filter(Boolean).map(({ns}) => units.fineTime(ns)))];
    this.head.textContent = samples ? `at ${times.join(' → ')}` : this.loads.length > 1 ? 'at the peaks' : 'at the peak';
    this.all.forEach((layer, i) => {
      const bytes = samples ? samples.map((sample) => sample?.bytes[i] ?? 0) : layer.at_peak;
      this.values[i].textContent = bytes.map(units.size).join(' → ');
    });
  }
}

/**
 * What the colours are: of lanes and lines each a switch that hides it, of layers with their bytes.
 *
 * @return {root, show(samples)}: see LegendLayers.
 */
function legend(loads, hidden, layers, onChange) {
  const has = (list) => loads.some((load) => list(load).some((bytes) => bytes > 0));
  const lanes = layers.current === null ? laneTable.stacked : [];
  const atPeak = (lane) => loads.map((load) => units.size(load.instants[load.peakIndex]?.lanes[lane] ?? 0)).join(' → ');
  const entries = lanes.filter((lane) => has((load) => load.high[lane]))
      .map((lane) => ({key: lane, text: lane, colour: `lane-${lane}`, kind: 'area', value: atPeak(lane)}));
  if (has((load) => load.high.file)) {
    entries.push({key: 'file', text: 'file mappings (reserved)', colour: 'lane-file', kind: 'dashed'});
  }
  if (loads.some((load) => load.resident.at_ns.length > 0)) {
    entries.push({key: 'rss', text: 'rss, dashed: rss_anon (sampled)',
                  colour: layers.current === null ? 'resident' : 'ink', kind: 'line'});
  }
  const shadow = loads.length > 1
      ? [el('span', {class: 'layer'}, swatch('area', 'phase-0'), 'footprint before')] : [];
  const named = new LegendLayers(loads, layers);
  const root = el('div', {class: 'legend', role: 'group', 'aria-label': 'Colours'}, named.nodes,
      lanes.length > 0 ? named.head : null, entries.map((entry) => {
    const button = el('button', {type: 'button', 'aria-pressed': String(!hidden.has(entry.key)), click: () => {
      hidden.has(entry.key) ? hidden.delete(entry.key) : hidden.add(entry.key);
      button.setAttribute('aria-pressed', String(!hidden.has(entry.key)));
      onChange();
    }}, swatch(entry.kind, entry.colour), entry.text, entry.value ? el('span', {class: 'soft value'}, ` ${entry.value}`) : null);
    return button;
  }), shadow);
  return {root, show: (samples) => named.show(samples)};
}

/** What a legend shows of an instant of each load; null for their peaks, or where not all are known. */
function legendSamples(loads, moments) {
  const of = loads.map((load) => moments.find((moment) => moment.load === load));
  const isKnown = !of.includes(undefined) && of.some(({sample}) => sample !== null);
  return isKnown && !of.every(({isPeak}) => isPeak) ? of.map(({sample}) => sample) : null;
}

/** File mappings that dwarf the footprint would press it flat: then they start hidden. */
function hiddenAtFirst(loads) {
  const most = (list) => list.reduce((a, b) => Math.max(a, b), 0);
  const peak = Math.max(...loads.map((load) => load.data.peak.bytes));
  const file = Math.max(...loads.map((load) => most(load.high.file)));
  return new Set(file > 4 * peak ? ['file'] : []);
}
