/** What the load after holds more, and less, than the one before, place by place of the axis. */
class DifferenceTrack extends Track {
  constructor(before, after, height) {
    super('after − before', height);
    this.before = before;
    this.after = after;
  }

  top() {
    return 0;
  }

  draw(frame) {
    this.frame = frame;
    this.box = {x: TRACK.left, y: frame.y + 20, width: frame.width - TRACK.left - TRACK.right,
                height: this.height - 32};
    const width = Math.round(this.box.width);
    const columns = [this.before, this.after].map(
        ({load, warp}) => curves.columns(load, warp, frame.view, width));
    this.values = columns[0].map((before, pixel) => this.difference(before, columns[1][pixel]));
    this.most = this.values.reduce((most, value) => Math.max(most, value ?? 0), 0);
    this.least = this.values.reduce((least, value) => Math.min(least, value ?? 0), 0);
    const {context} = frame;
    const scale = this.box.height / Math.max(this.most - this.least, 1);
    const zero = this.box.y + this.most * scale;
    this.drawTitle();
    this.values.forEach((value, pixel) => {
      const height = (value ?? 0) * scale;
      context.fillStyle = theme.colour(height > 0 ? 'more' : 'less');
      context.fillRect(this.box.x + pixel, zero - Math.max(height, 0), 1, Math.abs(height));
    });
    context.fillStyle = theme.colour('soft');
    context.fillRect(this.box.x, Math.round(zero), this.box.width, 1);
    this.drawScale(zero, scale);
  }

  /** Round numbers: how far the highest column goes depends on how wide columns are. */
  drawScale(zero, scale) {
    const text = (value, y) => this.text(value, this.box.x - 8, y, {align: 'right'});
    const ROOM = 14;  // Of one label above the other.
    text('0', zero);
    for (const [sign, most] of [[1, this.most], [-1, -this.least]]) {
      const tick = ticks.sizes(most, 2).pop();
      const distance = tick.value * scale;
      if (distance >= ROOM) {
        const y = zero - sign * distance;
        this.frame.context.fillStyle = theme.colour('grid');
        this.frame.context.fillRect(this.box.x, Math.round(y), this.box.width, 1);
        text((sign > 0 ? '+' : '−') + tick.text, y);
      }
    }
  }

  /** Null where one load has ended: as in the pictures, that it is over is no less memory. */
  difference(before, after) {
    return before === null || after === null ? null
        : this.after.load.highest[after.high] - this.before.load.highest[before.high];
  }

  describe(pixel) {
    const value = this.values[numbers.clamp(Math.floor(pixel), 0, this.values.length - 1)];
    return value === null || value === undefined ? [] : [['after − before', units.signedSize(value)]];
  }
}
