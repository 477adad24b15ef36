/** What the footprint is layered by: its lanes, or one of the page's lists of layers. */
class Layers {
  constructor(data, loads) {
    this.lists = data.layers;
    this.loads = loads;
    this.by = this.lists.length > 0 ? this.lists[0].by : 'lane';
    this.unpacked = new Map();
    this.sampled = new Map();
  }

  /** What can be chosen. */
  get words() {
    return [...this.lists.map((list) => list.by), 'lane'];
  }
  /** [{text, colour, at_peak}] from the ground up; null for lanes. */
  get current() {
    return this.lists.find((list) => list.by === this.by)?.layers ?? null;
  }

  /** The bytes of each layer at the load's stored columns. */
  rowsOf(load) {
    const which = this.lists.findIndex((list) => list.by === this.by);
    const key = which * this.loads.length + this.loads.indexOf(load);
    if (!this.unpacked.has(key)) {
      this.unpacked.set(key, this.lists[which].bytes[this.loads.indexOf(load)].map((row) => numbers.unpack(row)));
    }
    return this.unpacked.get(key);
  }

  /**
   * Every instant of a load of which the layers are known exactly: {times, bytes: of each layer a list}, in order; of
   * those of one time the instant with a live set last.
   */
  samplesOf(load) {
    const rows = this.rowsOf(load);
    if (!this.sampled.has(rows)) {
      const which = this.lists.findIndex((list) => list.by === this.by);
      const then = this.lists[which].at_instants[this.loads.indexOf(load)].map((row) => numbers.unpack(row));
      const times = [...load.layeredNs, ...load.instants.map((instant) => instant.at_ns)];
      const order = [...times.keys()].sort((a, b) => times[a] - times[b] || a - b);
      const inOrder = (list) => order.map((i) => list[i]);
      this.sampled.set(rows, {times: inOrder(times), bytes: rows.map((row, i) => inOrder([...row, ...then[i]]))});
    }
    return this.sampled.get(rows);
  }

  sample(load, i) {
    const {times, bytes} = this.samplesOf(load);
    const then = bytes.map((row) => row[i]);
    return {ns: times[i], bytes: then, total: then.reduce((sum, part) => sum + part, 0)};
  }

  /** The same of the last such instant until `ns`; of `ns` itself, where all has stood since. */
  sampleAt(load, ns) {
    const sample = this.sample(load, Math.max(numbers.after(this.samplesOf(load).times, ns) - 1, 0));
    return sample.ns < ns && load.standsAt(sample.total, sample.ns, ns) ? {...sample, ns} : sample;
  }

  /** That of the highest footprint in [begin, end); where none of its instants is known, see sampleAt of `ns`. */
  sampleWithin(load, {begin, end, ns}) {
    const {times} = this.samplesOf(load);
    let best = null;
    for (let i = numbers.after(times, begin - 1); i < times.length && times[i] < end; ++i) {
      const sample = this.sample(load, i);
      best = best === null || sample.total > best.total ? sample : best;
    }
    return best ?? this.sampleAt(load, Math.round(ns));
  }

  /**
   * What each layer holds in a column of a load, to a footprint of `total`: as it was in the nearest stored column
   * before. What went since then went from the top.
   * @return {bytes, since}: `since` came after that column, nobody knows whose it is.
   */
  held(load, column, total) {
    const i = Math.max(numbers.after(load.layered, column) - 1, 0);
    const bytes = this.rowsOf(load).map((row) => row[i]);
    let rest = total - bytes.reduce((sum, part) => sum + part, 0);
    const since = Math.max(rest, 0);
    for (let layer = bytes.length - 1; layer >= 0 && rest < 0; --layer) {
      const cut = Math.min(bytes[layer], -rest);
      bytes[layer] -= cut;
      rest += cut;
    }
    return {bytes, since};
  }
}
