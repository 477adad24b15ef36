/**
 * Tracks below each other on one axis: zoom, pan, hover, pick.
 *
 * The wheel zooms at the pointer, dragging moves, a double click shows all again. By keys: + and -
 * zoom, the arrows move what the pointer would be, with shift ten times as far, Enter is a click, 0
 * shows all.
 */
class Timeline {
  /** `onPick` gets the place on the axis that was clicked. */
  constructor(onPick) {
    this.onPick = onPick;
    /** Called with what the pointer, or else a mark, is at: see LoadTrack.momentAt; null: nothing is known. */
    this.onMoment = () => {};
    this.tracks = [];
    this.marks = [];
    this.view = {from: 0, to: 1};
    this.canvas = el('canvas', {tabindex: 0, class: 'timeline-canvas', role: 'application',
                                'aria-label': 'Memory over time. The arrow keys say what was there, Enter shows ' +
                                    'what was alive then, plus and minus zoom, 0 shows all; the tables below ' +
                                    'hold the numbers.'});
    this.cursor = el('div', {class: 'timeline-cursor', hidden: true});
    this.tip = el('div', {class: 'tip', hidden: true});
    this.root = el('div', {class: 'timeline'}, this.canvas, this.cursor, this.tip);
    this.redraw = onceAFrame(() => this.draw());
    new ResizeObserver(this.redraw).observe(this.root);
    theme.onChange(this.redraw);
    this.listen();
  }

  /** @param axis {ticksIn(view, most), caption}: the axis under all tracks. */
  show(tracks, axis) {
    this.tracks = tracks;
    this.axis = axis;
    this.isDrawn = false;
    this.redraw();
  }
  /** @param marks [track, ns] each. */
  mark(marks) {
    this.marks = marks;
    this.redraw();
    this.tellMoment(null);
  }

  /** @param pixel of the axis, where the pointer is; null: it is elsewhere. */
  tellMoment(pixel) {
    const tracks = this.tracks.filter((track) => track instanceof LoadTrack);
    const moments = pixel === null ? this.marks.map(([track, ns]) => track.momentOf(ns))
        : tracks.map((track) => this.momentAt(track, pixel));
    this.onMoment(moments.flat());
  }

  /** In the pixel of a mark its instant is meant, which is what stands below. */
  momentAt(track, pixel) {
    const mark = this.marks.find(([marked, ns]) => marked === track && track.isAtPixel(ns, pixel));
    return mark ? track.momentOf(mark[1]) : track.momentAt(pixel);
  }

  get width() {
    return this.root.clientWidth;
  }
  get height() {
    return this.tracks.reduce((sum, track) => sum + track.height, 0) + 26;
  }
  get axisWidth() {
    return this.width - TRACK.left - TRACK.right;
  }

  draw() {
    const {width, height} = this;
    if (width === 0 || this.tracks.length === 0) {
      return;
    }
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext('2d');
    context.scale(scale, scale);
    const top = Math.max(...this.tracks.map((track) => track.top()));
    let y = 0;
    for (const track of this.tracks) {
      track.draw({context, y, width, view: this.view, top});
      y += track.height;
    }
    this.isDrawn = true;
    this.drawAxis(context, y);
    this.marks.forEach(([track, ns]) => track.drawMark(ns));
  }

  drawAxis(context, y) {
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    let free = 0;
    for (const tick of this.axis.ticksIn(this.view, this.axisWidth / 90)) {
      const x = TRACK.left + (tick.x - this.view.from) / (this.view.to - this.view.from) * this.axisWidth;
      const half = context.measureText(tick.text).width / 2;
      const middle = Math.min(x, this.width - half - 2);
      if (middle - half < free) {
        continue;
      }
      free = middle + half + 12;
      context.fillStyle = theme.colour('grid');
      context.fillRect(Math.round(x), y, 1, 5);
      context.fillStyle = theme.colour('soft');
      context.textAlign = 'center';
      context.fillText(tick.text, middle, y + 15);
    }
  }

  listen() {
    const {canvas} = this;
    canvas.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
    canvas.addEventListener('pointerdown', (event) => this.grab(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.drop(event));
    canvas.addEventListener('pointerleave', () => this.hover(null));
    canvas.addEventListener('dblclick', () => this.fit());
    canvas.addEventListener('blur', () => this.hover(null));
    canvas.addEventListener('keydown', (event) => this.key(event));
  }

  /** The place on the axis at a pointer, and its pixel from the axis's start. */
  placeOf(event) {
    const pixel = event.clientX - this.canvas.getBoundingClientRect().left - TRACK.left;
    return {pixel, x: this.view.from + pixel / this.axisWidth * (this.view.to - this.view.from)};
  }

  wheel(event) {
    const {x} = this.placeOf(event);
    const factor = Math.exp(numbers.clamp(event.deltaY, -200, 200) * 0.0025);
    // What shows all cannot show more: the page scrolls instead.
    if (factor < 1 || this.view.to - this.view.from < 1) {
      event.preventDefault();
      this.zoom(factor, x);
    }
  }

  zoom(factor, x = (this.view.from + this.view.to) / 2) {
    const LEAST = 1e-9;
    const length = numbers.clamp((this.view.to - this.view.from) * factor, LEAST, 1);
    const share = (x - this.view.from) / (this.view.to - this.view.from);
    this.look(x - share * length, length);
  }

  look(from, length) {
    const begin = numbers.clamp(from, 0, 1 - length);
    this.view = {from: begin, to: begin + length};
    this.hover(null);
    this.redraw();
  }
  fit() {
    this.look(0, 1);
  }
  /** Brings a place into view without a change of the zoom. */
  reveal(x) {
    const {from, to} = this.view;
    if (x < from || x > to) {
      this.look(x - (to - from) / 2, to - from);
    }
  }

  grab(event) {
    if (event.button === 0) {
      this.canvas.setPointerCapture(event.pointerId);
      this.held = {at: event.clientX, from: this.view.from, moved: false};
    }
  }
  move(event) {
    if (!this.held) {
      this.hover(event);
      return;
    }
    const distance = event.clientX - this.held.at;
    this.held.moved ||= Math.abs(distance) > 4;
    if (this.held.moved) {
      const length = this.view.to - this.view.from;
      this.look(this.held.from - distance / this.axisWidth * length, length);
    }
  }
  drop(event) {
    const wasClick = this.held && !this.held.moved;
    this.held = null;
    const {pixel, x} = this.placeOf(event);
    if (wasClick && pixel >= 0 && pixel <= this.axisWidth) {
      this.onPick(x);
    }
  }

  key(event) {
    const step = event.shiftKey ? 0.1 : 0.01;
    const actions = {'+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2),
                     '0': () => this.fit(),
                     ArrowLeft: () => this.walk(-step), ArrowRight: () => this.walk(step),
                     Enter: () => this.onPick(this.at ?? (this.view.from + this.view.to) / 2)};
    if (actions[event.key] && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      actions[event.key]();
    }
  }

  /** Goes a share of the view on from where the pointer or the last key was, at first from its middle. */
  walk(step) {
    const length = this.view.to - this.view.from;
    const x = numbers.clamp((this.at ?? this.view.from + length / 2) + step * length, 0, 1);
    if (x < this.view.from || x > this.view.to) {
      this.look(x - length / 2, length);
      this.draw();
    }
    const pixel = Math.min((x - this.view.from) / length * this.axisWidth, this.axisWidth - 1);
    this.tip.setAttribute('aria-live', 'polite');
    this.showAt(this.isDrawn ? {pixel, x} : null);
  }

  /** Shows what is under the pointer; null: nothing. */
  hover(event) {
    this.tip.setAttribute('aria-live', 'off');
    this.showAt(event && this.isDrawn ? this.placeOf(event) : null);
  }

  showAt(place) {
    const isOver = place && place.pixel >= 0 && place.pixel < this.axisWidth;
    this.cursor.hidden = this.tip.hidden = !isOver;
    this.tellMoment(isOver ? place.pixel : null);
    if (!isOver) {
      return;
    }
    this.at = place.x;
    this.cursor.style.left = `${TRACK.left + place.pixel}px`;
    this.cursor.style.height = `${this.height - 26}px`;
    this.tip.replaceChildren(...this.tracks.flatMap((track) => this.tipOf(track, place.pixel)));
    this.tip.style.top = `${(this.tracks[0]?.box?.y ?? 0) + 8}px`;  // Below the names of the phases.
    const isRight = place.pixel > this.axisWidth / 2;
    const gap = 14;
    this.tip.style.left = isRight ? 'auto' : `${TRACK.left + place.pixel + gap}px`;
    this.tip.style.right = isRight ? `${this.width - TRACK.left - place.pixel + gap}px` : 'auto';
  }

  tipOf(track, pixel) {
    const rows = track instanceof LoadTrack
        ? track.describe(pixel, this.momentAt(track, pixel).find(({load}) => load === track.load)?.sample)
        : track.describe(pixel);
    const title = track.title && track instanceof LoadTrack ? [el('strong', {}, track.title)] : [];
    return [...title, ...rows.map(([label, text, colour]) => el('div', {class: 'tip-row'},
        el('span', {}, colour ? swatch('area', colour) : null, label.trimStart()), el('span', {}, text)))];
  }
}
