/** What the footprint is layered by: its lanes, or one of the page's lists of layers. */
class Layers {
  constructor(data, loads) {
    this.lists = data.layers;
    this.loads = loads;
    this.by = this.lists.length > 0 ? this.lists[0].by : 'lane';
    this.unpacked = new Map();
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
   * What each layer holds in a column of a load, to a footprint of `total`: as it was in the nearest stored column
   * before. What went since then went from the top.
   * @return {bytes, since, asOf}: `since` came after that column, nobody knows whose it is; `asOf` is the time of the
   *     stored column where it is another one, else null.
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
    return {bytes, since, asOf: load.layered[i] === column ? null : load.borders[load.layered[i]]};
  }
}
