/** The heights of the parts of a track, in CSS pixels. */
const TRACK = {
  get left() {
    return TRACK.isNarrow ? 70 : 86;
  },
  get right() {
    return TRACK.isNarrow ? 30 : 38;
  },
  get isNarrow() {
    return document.documentElement.clientWidth < 700;
  },
  phaseRow: 18, phaseNames: 15, progress: 12, gap: 6,
};

/**
 * A strip of the timeline. Before it draws, a track sets `frame` ({context, y, width, view, top}: where
 * to draw, and the scale all tracks share), `box` (its plot, in pixels) and `top_` (bytes at the
 * plot's upper edge); one of a load has a `warp`.
 */
class Track {
  constructor(title, height) {
    this.title = title;
    this.height = height;
  }

  yOf(bytes) {
    return this.box.y + this.box.height * (1 - bytes / this.top_);
  }
  pixelOf(ns) {
    const {view} = this.frame;
    return this.box.x + (this.warp.xOf(ns) - view.from) / (view.to - view.from) * this.box.width;
  }

  drawTitle() {
    if (this.title) {
      this.text(this.title, TRACK.left, this.frame.y + 9, {colour: 'ink', bold: true});
    }
  }

  text(text, x, y, {colour = 'soft', align = 'left', bold = false, halo = false} = {}) {
    const {context} = this.frame;
    context.font = `${bold ? '600 ' : ''}12px system-ui, sans-serif`;
    context.textAlign = align;
    context.textBaseline = 'middle';
    if (halo) {
      context.strokeStyle = theme.colour('background');
      context.lineWidth = 4;
      context.lineJoin = 'round';
      context.strokeText(text, x, y);
    }
    context.fillStyle = theme.colour(colour);
    context.fillText(text, x, y);
  }

  /** A line over the columns; `valueOf` gives the value of one, and null makes a gap. */
  strokeColumns(columns, valueOf, {colour, width = 1, dash = []}) {
    const {context} = this.frame;
    context.beginPath();
    let isDown = false;
    columns.forEach((column, pixel) => {
      if (column === null) {
        isDown = false;
        return;
      }
      const y = this.yOf(valueOf(column));
      context[isDown ? 'lineTo' : 'moveTo'](this.box.x + pixel, y);
      context.lineTo(this.box.x + pixel + 1, y);
      isDown = true;
    });
    context.strokeStyle = theme.colour(colour);
    context.lineWidth = width;
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
  }

  /** Marks an instant by a line. */
  drawMark(ns) {
    const x = Math.round(this.pixelOf(ns)) + 0.5;
    if (x < this.box.x || x > this.box.x + this.box.width) {
      return;
    }
    const {context} = this.frame;
    context.strokeStyle = context.fillStyle = theme.colour('ink');
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, this.box.y);
    context.lineTo(x, this.box.y + this.box.height);
    context.stroke();
    context.beginPath();
    context.moveTo(x - 5, this.box.y);
    context.lineTo(x + 5, this.box.y);
    context.lineTo(x, this.box.y + 7);
    context.fill();
  }
}
