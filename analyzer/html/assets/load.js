/** One load of the page: its numbers unpacked, and what stood when. */
class Load {
  /** @param name `before`, `after`, or empty where there is one load only. */
  constructor(data, name) {
    this.data = data;
    this.name = name;
    this.end = data.duration_ns + 1;
    this.borders = numbers.unpack(data.timeline.borders);
    const lanes = (part) => Object.fromEntries(
        Object.entries(part).map(([lane, text]) => [lane, numbers.unpack(text)]));
    this.high = lanes(data.timeline.high);
    this.low = lanes(data.timeline.low);
    this.highest = this.sums(this.high);
    this.lowest = this.sums(this.low);
    /** The columns of which the layers are known. */
    this.layered = numbers.unpack(data.timeline.layered);
    /** When the footprint stood highest in each of these. */
    this.layeredNs = numbers.unpack(data.timeline.layered_ns);
    this.resident = lanes(data.resident);
    this.progress = lanes(data.progress);
    this.instants = data.instants;
    this.peakIndex = this.instants.findIndex((instant) => instant.is_peak);
    /** What is taken away of it: bits of the findings of `what_if`; 0: nothing. */
    this.taken = 0;
  }

  /** The load without what is taken away: {peak_bytes, peak_ns, sentence, markdown, borders, highest}; or null. */
  without() {
    const {what_if: whatIf} = this.data;
    if (!whatIf || this.taken === 0) {
      return null;
    }
    const set = whatIf.sets[this.taken - 1];
    this.unpacked ??= new Map();
    if (!this.unpacked.has(set)) {
      this.unpacked.set(set, {...set, borders: numbers.unpack(whatIf.borders), highest: numbers.unpack(set.highest)});
    }
    return this.unpacked.get(set);
  }

  /** The footprint of each column. */
  sums(lanes) {
    return this.borders.slice(1).map((_, c) => laneTable.stacked.reduce((sum, lane) => sum + lanes[lane][c], 0));
  }

  /** The column that shows an instant. */
  columnAt(ns) {
    return numbers.clamp(numbers.after(this.borders, ns) - 1, 0, this.borders.length - 2);
  }

  /** Whether the footprint is known to have been `bytes` all the time between two instants. */
  standsAt(bytes, from, to) {
    for (let column = this.columnAt(from); column <= this.columnAt(to); ++column) {
      if (this.lowest[column] !== bytes || this.highest[column] !== bytes) {
        return false;
      }
    }
    return true;
  }

  /** Until when, at least and at most `to`, all but 1 % of the peak stood: a border of columns; the peak's own time if unknown. */
  peakStoodUntil(to) {
    const {at_ns: peakNs, bytes} = this.instants[this.peakIndex];
    let column = this.columnAt(peakNs) + 1;
    let until = peakNs;
    for (; column < this.lowest.length && this.borders[column + 1] <= to && this.lowest[column] >= 0.99 * bytes; ++column) {
      until = this.borders[column + 1];
    }
    return until;
  }

  /** The last sample at or before `ns`; null before the first. */
  residentAt(ns) {
    const i = numbers.after(this.resident.at_ns, ns) - 1;
    return i < 0 ? null : {anon: this.resident.anon[i], file: this.resident.file[i],
                           shmem: this.resident.shmem[i]};
  }

  /** The share of the model that was read by `ns`, 0 to 1; null where no model is known. */
  shareRead(ns) {
    const {at_ns: times, bytes} = this.progress;
    if (times.length === 0) {
      return null;
    }
    const i = numbers.after(times, ns);
    if (i === 0) {
      return 0;
    }
    let read = bytes[i - 1];
    if (i < times.length && times[i] > times[i - 1]) {
      read += (bytes[i] - read) * (ns - times[i - 1]) / (times[i] - times[i - 1]);
    }
    return read / bytes[bytes.length - 1];
  }

  /** How many bytes of the model a second are read at `ns`, between the two reads around it; null where nothing is. */
  readRate(ns) {
    const {at_ns: times, bytes} = this.progress;
    const i = numbers.after(times, ns);
    const isBetween = i > 0 && i < times.length && times[i] > times[i - 1] && bytes[i] > bytes[i - 1];
    return isBetween ? (bytes[i] - bytes[i - 1]) / (times[i] - times[i - 1]) * 1e9 : null;
  }

  phasesAt(ns) {
    return this.data.phases.filter((phase) => phase.begin_ns <= ns && ns < phase.end_ns);
  }

  /** The index of the stored instant closest to `ns`; at the peak's own time the peak. */
  nearestInstant(ns) {
    const distance = (i) => Math.abs(this.instants[i].at_ns - ns);
    let best = 0;
    for (let i = 1; i < this.instants.length; ++i) {
      if (distance(i) < distance(best) || (distance(i) === distance(best) && i === this.peakIndex)) {
        best = i;
      }
    }
    return best;
  }

  /** How far the footprint of a stored instant is from all that the column of `ns` had. */
  bytesOff(index, ns) {
    const column = this.columnAt(ns);
    const {bytes} = this.instants[index];
    return Math.max(this.lowest[column] - bytes, bytes - this.highest[column], 0);
  }

  /**
   * The index of the stored instant that tells of `ns`: the nearest one; or the last one before, where the nearest is
   * behind it, and what fell or rose until then makes its footprint another one than the earlier one's.
   */
  instantFor(ns) {
    const nearest = this.nearestInstant(ns);
    if (this.instants[nearest].at_ns <= ns || nearest === 0) {
      return nearest;
    }
    return this.bytesOff(nearest - 1, ns) < this.bytesOff(nearest, ns) ? nearest - 1 : nearest;
  }

  /**
   * What is different from the peak at another stored instant: {changes: bytes by row, from 1 on; missing: [row of the
   * peak, bytes here] each that has no row here; least: what held less at both is in none of them}. Null at the peak.
   */
  besidePeak(index) {
    const instant = this.instants[index];
    if (instant.is_peak || instant.changes === undefined) {
      return null;
    }
    const held = numbers.unpack(instant.missing_held);
    return {changes: numbers.unpack(instant.changes).map((coded) => (coded % 2 ? -(coded + 1) / 2 : coded / 2)),
            missing: numbers.unpack(instant.missing).map((row, i) => [row, held[i]]), least: instant.changes_from};
  }

  /** What was alive at a stored instant: {node, lane, bytes, blocks, folded, row} each, see folding.hpp. */
  stacksAt(index) {
    const instant = this.instants[index];
    const nodes = numbers.unpack(instant.node);
    const lanes = numbers.unpack(instant.lane);
    const held = numbers.unpack(instant.held);
    const blocks = numbers.unpack(instant.blocks);
    const folded = numbers.unpack(instant.folded);
    const rows = numbers.unpack(instant.row ?? '');  // The page of a difference has none.
    return nodes.map((node, i) => ({node, lane: laneTable.names[lanes[i]], bytes: held[i], blocks: blocks[i],
                                    folded: folded[i], row: rows[i]}));
  }
}
