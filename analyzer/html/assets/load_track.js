/** One load on the timeline: phases, stacked lanes, lines, reading progress. */
class LoadTrack extends Track {
  /** @param shadow another load, drawn as a line over this one, or as an area behind it; or null. */
  constructor(load, warp, options) {
    super(options.title, options.height);
    this.load = load;
    this.warp = warp;
    this.shadow = options.shadow ?? null;
    this.isShadowFilled = options.isShadowFilled ?? false;
    this.hidden = options.hidden;
    this.layers = options.layers;
    this.phaseRows = Math.max(0, ...load.data.phases.map((phase) => phase.row + 1));
    // Names that have no room in the strip stand above it.
    const NARROW_PART = 0.15;
    this.hasNarrowPhases =
        load.data.phases.some((phase) => warp.xOf(phase.end_ns) - warp.xOf(phase.begin_ns) < NARROW_PART);
  }

  /** The highest value that is shown. */
  top() {
    const most = (list) => list.reduce((a, b) => Math.max(a, b), 0);
    const loads = this.shadow ? [this.load, this.shadow.load] : [this.load];
    const values = loads.map((load) => load.data.peak.bytes);
    if (!this.hidden.has('file')) {
      values.push(most(this.load.high.file));
    }
    if (!this.hidden.has('rss')) {
      values.push(most(this.rssTotals()));
    }
    return Math.max(...values, 1);
  }

  rssTotals() {
    const {anon, file, shmem} = this.load.resident;
    return anon.map((bytes, i) => bytes + file[i] + shmem[i]);
  }

  /** @param frame {context, y, width, view, top}: where to draw, and the scale all tracks share. */
  draw(frame) {
    const head = this.phasesTop() + this.phaseRows * TRACK.phaseRow + TRACK.gap;
    const foot = (this.load.progress.at_ns.length ? TRACK.progress + TRACK.gap : 0) + (this.title ? 12 : 0);
    this.box = {x: TRACK.left, y: frame.y + head, width: frame.width - TRACK.left - TRACK.right,
                height: this.height - head - foot};
    this.frame = frame;
    this.top_ = frame.top * 1.08;
    const {context} = frame;
    this.drawTitle();
    this.drawGrid();
    context.save();
    context.beginPath();
    context.rect(this.box.x, frame.y, this.box.width, this.height);
    context.clip();
    this.drawPhases();
    this.drawLanes();
    this.drawWithout();
    this.drawResident();
    this.drawProgress();
    context.restore();
    this.drawProgressLabel();
    this.drawModelLines();
    this.drawPeak();
  }

  drawGrid() {
    const {context} = this.frame;
    for (const tick of ticks.sizes(this.top_, Math.max(2, this.box.height / 34))) {
      const y = Math.round(this.yOf(tick.value)) + 0.5;
      context.fillStyle = theme.colour('grid');
      context.fillRect(this.box.x, y - 0.5, this.box.width, 1);
      this.text(tick.text, this.box.x - 8, y, {align: 'right'});
    }
  }

  phasesTop() {
    return (this.title ? 18 : 0) + (this.hasNarrowPhases ? TRACK.phaseNames : 0);
  }

  drawPhases() {
    const {context, y} = this.frame;
    const unnamed = [];
    this.load.data.phases.forEach((phase, i) => {
      const from = Math.max(this.pixelOf(phase.begin_ns), this.box.x - 2);
      const to = Math.min(this.pixelOf(phase.end_ns), this.box.x + this.box.width + 2);
      const top = y + this.phasesTop() + phase.row * TRACK.phaseRow;
      if (to < this.box.x || from > this.box.x + this.box.width) {
        return;
      }
      context.fillStyle = theme.colour(`phase-${i % 2}`);
      context.fillRect(from, top, Math.max(to - from - 1, 1), TRACK.phaseRow - 3);
      if (!this.drawPhaseName(phase.name, from, to, top + (TRACK.phaseRow - 3) / 2)) {
        unnamed.push({name: phase.name, from, middle: (from + to) / 2, top});
      }
    });
    this.drawNarrowNames(unnamed);
  }

  /** @return whether there was room for half of it, or more. */
  drawPhaseName(name, from, to, y) {
    const {context} = this.frame;
    context.font = '12px system-ui, sans-serif';
    let text = name;
    while (text.length > 1 && context.measureText(text).width > to - from - 10) {
      text = text.length > 2 ? `${text.slice(0, -2)}…` : '';
    }
    const isNamed = text.length >= name.length / 2;
    if (isNamed) {
      this.text(text, from + 5, y, {colour: 'ink'});
    }
    return isNamed;
  }

  /** Above the strip, one behind the other, as far as each can stand near its phase. */
  drawNarrowNames(phases) {
    if (!this.hasNarrowPhases) {
      return;
    }
    const FURTHEST = 100;
    const {context, y} = this.frame;
    let free = this.box.x;
    context.font = '12px system-ui, sans-serif';
    for (const {name, from, middle, top} of [...phases].sort((a, b) => a.from - b.from)) {
      const {width} = context.measureText(name);
      const right = this.box.x + this.box.width;
      const x = Math.max(free, Math.min(from, right - width));
      if (Math.abs(x - from) <= FURTHEST && x + width <= right) {
        const base = y + (this.title ? 18 : 0);
        context.fillStyle = theme.colour('soft');
        context.fillRect(Math.round(middle), base + TRACK.phaseNames - 3, 1, top + 4 - base - TRACK.phaseNames + 3);
        this.text(name, x, base + TRACK.phaseNames / 2 - 2);
        free = x + width + 12;
      }
    }
  }

  drawLanes() {
    const {context, view} = this.frame;
    const pixels = Math.round(this.box.width);
    this.columns = curves.columns(this.load, this.warp, view, pixels);
    this.fillShadow();
    if (this.layers.current !== null) {
      this.drawLayers(this.layers.current);
      return;
    }
    const lanes = laneTable.stacked.filter((lane) => !this.hidden.has(lane));
    for (const [part, alpha] of [['high', 0.45], ['low', 1]]) {
      context.globalAlpha = alpha;
      for (const [i, lane] of lanes.entries()) {
        context.fillStyle = theme.colour(`lane-${lane}`);
        this.fillLane(lanes.slice(0, i), lane, part);
      }
    }
    context.globalAlpha = 1;
    this.drawFile();
    this.drawShadow();
    this.drawFootprint(lanes);
  }

  fillLane(below, lane, part) {
    const {context} = this.frame;
    this.columns.forEach((column, pixel) => {
      if (column !== null) {
        const c = column[part];
        const values = this.load[part];
        const bottom = below.reduce((sum, other) => sum + values[other][c], 0);
        const height = values[lane][c] / this.top_ * this.box.height;
        if (height > 0) {
          context.fillRect(this.box.x + pixel, this.yOf(bottom) - height, 1, height);
        }
      }
    });
  }

  /** In full as high as the footprint stood, and paler what did not stand all the time. */
  drawLayers(layers) {
    const {context} = this.frame;
    const held = this.columns.map((column) => {
      const known = column && this.layers.held(this.load, column.high, this.load.highest[column.high]);
      return known && [...known.bytes, known.since];
    });
    const grounds = new Float64Array(held.length);
    [...layers, layers[0]].forEach((layer, i) => {
      context.fillStyle = theme.colour(layer.colour);
      held.forEach((bytes, pixel) => {
        if (bytes !== null && bytes[i] > 0) {
          const height = bytes[i] / this.top_ * this.box.height;
          context.fillRect(this.box.x + pixel, this.yOf(grounds[pixel]) - height, 1, height);
          grounds[pixel] += bytes[i];
        }
      });
    });
    context.globalAlpha = 0.4;
    context.fillStyle = theme.colour('background');
    this.columns.forEach((column, pixel) => {
      if (column !== null) {
        const top = this.yOf(this.load.highest[column.high]);
        context.fillRect(this.box.x + pixel, top, 1, this.yOf(this.load.lowest[column.low]) - top);
      }
    });
    context.globalAlpha = 1;
    this.drawFile();
    this.drawShadow();
    this.strokeColumns(this.columns, (column) => this.load.highest[column.high], {colour: 'soft', width: 1});
  }

  drawFootprint(lanes) {
    const sum = (column) => lanes.reduce((bytes, lane) => bytes + this.load.high[lane][column.high], 0);
    this.strokeColumns(this.columns, sum, {colour: 'footprint', width: 1.5});
  }

  drawFile() {
    if (!this.hidden.has('file') && this.load.high.file.some((bytes) => bytes > 0)) {
      this.strokeColumns(this.columns, (column) => column.fileHigh,
                         {colour: 'lane-file', width: 1.5, dash: [5, 3]});
    }
  }

  fillShadow() {
    this.shadowColumns = this.shadow && curves.columns(this.shadow.load, this.shadow.warp, this.frame.view,
                                                       Math.round(this.box.width));
    if (this.shadow && this.isShadowFilled) {
      this.frame.context.fillStyle = theme.colour('phase-0');
      this.shadowColumns.forEach((column, pixel) => {
        if (column !== null) {
          const top = this.yOf(this.shadow.load.highest[column.high]);
          this.frame.context.fillRect(this.box.x + pixel, top, 1, this.yOf(0) - top);
        }
      });
    }
  }

  drawShadow() {
    if (this.shadow) {
      this.strokeColumns(this.shadowColumns, (column) => this.shadow.load.highest[column.high],
                         this.isShadowFilled ? {colour: 'soft', width: 1}
                                             : {colour: 'ink', width: 1.5, dash: [2, 2]});
    }
  }

  /** What is left: a line, and a veil over what is taken away. */
  drawWithout() {
    const without = this.load.without();
    if (!without) {
      return;
    }
    const {context, view} = this.frame;
    const {borders, highest} = without;
    const pixels = this.columns.length;
    const nsAt = (pixel) => this.warp.nsAt(view.from + pixel / pixels * (view.to - view.from));
    const left = this.columns.map((column, pixel) => {
      if (column === null) {
        return null;
      }
      const last = highest.length - 1;
      const from = numbers.clamp(numbers.after(borders, nsAt(pixel)) - 1, 0, last);
      const to = numbers.clamp(numbers.after(borders, nsAt(pixel + 1) - 1) - 1, from, last);
      return Math.max(...highest.slice(from, to + 1));
    });
    context.globalAlpha = 0.72;
    context.fillStyle = theme.colour('background');
    left.forEach((bytes, pixel) => {
      if (bytes !== null) {
        const top = this.yOf(this.load.highest[this.columns[pixel].high]);
        context.fillRect(this.box.x + pixel, top, 1, Math.max(this.yOf(bytes) - top, 0));
      }
    });
    context.globalAlpha = 1;
    this.strokeColumns(left, (bytes) => bytes, {colour: 'ink', width: 2});
    const x = numbers.clamp(this.pixelOf(without.peak_ns), this.box.x + 60, this.box.x + this.box.width - 60);
    this.text(`without: ${units.size(without.peak_bytes)}`, x, this.yOf(without.peak_bytes) + 12,
              {colour: 'ink', align: 'center', bold: true, halo: true});
  }

  drawResident() {
    const {at_ns: times, anon} = this.load.resident;
    if (this.hidden.has('rss') || times.length === 0) {
      return;
    }
    this.strokeSamples(times, this.rssTotals(), []);
    this.strokeSamples(times, anon, [3, 3]);
  }

  /** Between two samples nobody looked: each one's height is held until the next, the last one's to the end. */
  strokeSamples(times, values, dash) {
    const {context} = this.frame;
    context.beginPath();
    this.heldSamples(times, values).forEach(([ns, bytes]) => context.lineTo(this.pixelOf(ns), this.yOf(bytes)));
    context.strokeStyle = theme.colour(this.layers.current === null ? 'resident' : 'ink');
    context.lineWidth = 1;
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
  }

  /** The corners of the line over the samples, as [ns, bytes]. */
  heldSamples(times, values) {
    return Array.from(times).flatMap((ns, i) => {
      const until = i + 1 < times.length ? times[i + 1] : Math.max(ns, this.load.data.duration_ns);
      return [[ns, values[i]], [until, values[i]]];
    });
  }

  drawProgress() {
    if (this.load.progress.at_ns.length === 0) {
      return;
    }
    const {context, view} = this.frame;
    const y = this.box.y + this.box.height + TRACK.gap;
    const width = Math.round(this.box.width);
    for (let pixel = 0; pixel < width; ++pixel) {
      const x = view.from + (view.to - view.from) * pixel / width;
      if (x < 0 || x > this.warp.endX) {
        continue;
      }
      const height = TRACK.progress * this.load.shareRead(this.warp.nsAt(x));
      context.fillStyle = theme.colour('grid');
      context.fillRect(this.box.x + pixel, y, 1, TRACK.progress);
      context.fillStyle = theme.colour('progress');
      context.fillRect(this.box.x + pixel, y + TRACK.progress - height, 1, height);
    }
  }

  drawProgressLabel() {
    if (this.load.progress.at_ns.length > 0) {
      const y = this.box.y + this.box.height + TRACK.gap + TRACK.progress / 2;
      this.text('file read', this.box.x - 8, y, {align: 'right'});
    }
  }

  drawModelLines() {
    const {context} = this.frame;
    const right = this.box.x + this.box.width;
    for (const line of ticks.models(this.load.data.model_bytes, this.top_)) {
      const y = Math.round(this.yOf(line.value)) + 0.5;
      context.setLineDash([6, 4]);
      context.strokeStyle = theme.colour('model');
      context.lineWidth = 1;
      context.globalAlpha = 0.5;
      context.beginPath();
      context.moveTo(this.box.x, y);
      context.lineTo(right, y);
      context.stroke();
      context.globalAlpha = 1;
      context.setLineDash([]);
      this.text(line.text, right + 6, y, {colour: 'ink'});
    }
  }

  drawPeak() {
    const {peak, model_bytes: modelBytes} = this.load.data;
    const x = this.pixelOf(peak.at_ns);
    if (x < this.box.x || x > this.box.x + this.box.width || peak.bytes === 0) {
      return;
    }
    const {context} = this.frame;
    const y = this.yOf(peak.bytes);
    context.fillStyle = theme.colour('ink');
    context.beginPath();
    context.arc(x, y, 4, 0, 2 * Math.PI);
    context.fill();
    const ratio = modelBytes > 0 ? ` = ${units.fixed(peak.ratio, 2)} × W` : '';
    const text = `peak ${units.size(peak.bytes)}${ratio}`;
    const place = this.placeBeside(x, y, text);
    this.text(text, place.x, place.y, {colour: 'ink', bold: true, halo: true, align: place.align});
  }

  /** Where a bold text beside a mark has the least of RSS's lines in it; else on the side that has more room. */
  placeBeside(x, y, text) {
    const {context} = this.frame;
    context.font = '600 12px system-ui, sans-serif';
    const width = context.measureText(text).width;
    const lines = this.residentLines(x - width - 20, x + width + 20);
    const aligns = x > this.box.x + this.box.width / 2 ? ['right', 'left'] : ['left', 'right'];
    const FURTHEST = 10;
    const places = [...Array(FURTHEST).keys()].map((step) => 8 * step).flatMap((up) => aligns.map((align) => {
      const at = {align, x: x + (align === 'right' ? -9 : 9), y: y - 11 - up};
      const left = align === 'right' ? at.x - width : at.x;
      const box = {left: left - 3, right: left + width + 3, top: at.y - 8, bottom: at.y + 8};
      const isOutside = left < this.box.x || left + width > this.box.x + this.box.width ||
          (up > 0 && at.y < this.box.y);
      const crossed = lines.reduce((length, line) => length + LoadTrack.lengthWithin(line, box), 0);
      return {...at, cost: (isOutside ? 1e6 : 0) + 100 * crossed + up};
    }));
    return places.reduce((best, place) => (place.cost < best.cost ? place : best));
  }

  /** How much of a line of level and upright pieces is in a box, in pixels. */
  static lengthWithin(line, {left, right, top, bottom}) {
    return line.slice(1).reduce((length, [x, y], i) => {
      const [fromX, fromY] = line[i];
      const wide = Math.min(x, right) - Math.max(fromX, left);
      const high = Math.min(Math.max(y, fromY), bottom) - Math.max(Math.min(y, fromY), top);
      return wide >= 0 && high >= 0 ? length + Math.max(wide + high, 1) : length;
    }, 0);
  }

  /** What of RSS and of its anonymous part is drawn between two pixels: points [x, y] each. */
  residentLines(left, right) {
    const {at_ns: times, anon} = this.load.resident;
    if (this.hidden.has('rss') || times.length === 0) {
      return [];
    }
    return [this.rssTotals(), anon].map((values) => {
      const points = this.heldSamples(times, values).map(([ns, bytes]) => [this.pixelOf(ns), this.yOf(bytes)]);
      const isNear = (i) => points[Math.min(i + 1, points.length - 1)][0] >= left &&
          points[Math.max(i - 1, 0)][0] <= right;
      return points.filter((_, i) => isNear(i));
    });
  }

  /**
   * {load, sample, isPeak} of what is at a pixel of the axis, of this load and of one that is drawn over it; the sample,
   * see Layers, is null behind its end, and of lanes.
   */
  momentAt(pixel) {
    const all = this.shadow && !this.isShadowFilled ? [[this.shadow, this.shadowColumns], [this, this.columns]]
                                                    : [[this, this.columns]];
    return all.map(([side, columns]) => {
      const column = columns[numbers.clamp(Math.floor(pixel), 0, columns.length - 1)] ?? null;
      const isKnown = column !== null && this.layers.current !== null;
      return {load: side.load, isPeak: false,
              sample: isKnown ? this.layers.sampleWithin(side.load, this.timesOf(side.warp, pixel)) : null};
    });
  }

  /** The same of an instant; at the load's peak the legend has its own words for it. */
  momentOf(ns) {
    const at = (load, time) => ({load, sample: this.layers.current && this.layers.sampleAt(load, time),
                                 isPeak: time === load.data.peak.at_ns});
    const own = at(this.load, ns);
    return this.shadow && !this.isShadowFilled
        ? [at(this.shadow.load, Math.round(this.shadow.warp.nsAt(this.warp.xOf(ns)))), own] : [own];
  }

  isAtPixel(ns, pixel) {
    return Math.floor(this.pixelOf(ns) - this.box.x) === Math.floor(pixel);
  }

  /** {begin, end, ns} of a pixel of the axis, and of the place in it that is meant. */
  timesOf(warp, pixel) {
    const {view} = this.frame;
    const nsAt = (at) => warp.nsAt(view.from + (view.to - view.from) * at / this.box.width);
    return {begin: nsAt(Math.floor(pixel)), end: nsAt(Math.floor(pixel) + 1), ns: nsAt(pixel)};
  }

  /** What is under the pointer: [label, text] each, at a pixel of the axis. @param sample see momentAt. */
  describe(pixel, sample) {
    const column = this.columns[numbers.clamp(Math.floor(pixel), 0, this.columns.length - 1)];
    if (column === null || column === undefined) {
      return [['', 'the load has ended']];
    }
    const {load} = this;
    const times = this.timesOf(this.warp, pixel);
    const [low, high] = [load.lowest[column.low], load.highest[column.high]];
    const range = (from, to) => (from === to ? units.exactSize(to) : `${units.size(from)} to ${units.exactSize(to)}`);
    const isHere = sample && times.begin - 1 <= sample.ns && sample.ns <= times.end;
    const ns = isHere ? sample.ns : Math.round(times.ns);
    const rows = [['time', units.exactTime(ns)],
                  ['footprint', isHere ? units.exactSize(sample.total) : range(low, high)]];
    if (isHere && high > sample.total) {
      rows.push(['in this pixel up to', units.size(high)]);
    }
    if (isHere && low < sample.total) {
      rows.push(['in this pixel down to', units.size(low)]);
    }
    rows.push(...this.describeLayers(sample, isHere));
    for (const lane of this.layers.current === null ? laneTable.stacked : []) {
      if (load.high[lane][column.high] > 0 || lane === 'heap') {
        rows.push([`  ${lane}`, units.size(load.high[lane][column.high])]);
      }
    }
    if (column.fileHigh > 0) {
      rows.push(['file', range(column.fileLow, column.fileHigh)]);
    }
    return rows.concat(this.describeSampled(ns));
  }

  /** The uppermost first, as they are stacked. */
  describeLayers(sample, isHere) {
    if (!sample) {
      return [];
    }
    const rows = this.layers.current.map((layer, i) => [layer.text, units.size(sample.bytes[i]), layer.colour])
        .filter((row, i) => sample.bytes[i] > 0).reverse();
    return isHere ? rows : [[`layers at ${units.fineTime(sample.ns)}`, units.size(sample.total)], ...rows];
  }

  describeSampled(ns) {
    const rows = [];
    const resident = this.load.residentAt(ns);
    if (resident) {
      rows.push(['rss', units.size(resident.anon + resident.file + resident.shmem)]);
      rows.push(['  rss_anon', units.size(resident.anon)]);
    }
    const share = this.load.shareRead(ns);
    if (share !== null) {
      const rate = this.load.readRate(ns);
      rows.push(['file read', `${units.fixed(100 * share, 1)}%${rate === null ? '' : `, about ${units.size(Math.round(rate))}/s`}`]);
    }
    const phases = this.load.phasesAt(ns).map((phase) => phase.name);
    return phases.length ? [...rows, ['phase', phases.join(' / ')]] : rows;
  }
}
