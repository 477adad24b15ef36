/** What each pixel column of a track shows: exact extremes, whatever the zoom. */
const curves = {
  /**
   * @param view {from, to}: what part of the axis is seen, in [0, 1].
   * @return for each pixel null, beyond the load's end, or the numbers of the columns where the
   *     footprint stood highest and lowest, and the extremes of `file`.
   */
  columns(load, warp, view, width) {
    const list = new Array(width).fill(null);
    const places = (view.to - view.from) / width;
    for (let pixel = 0; pixel < width; ++pixel) {
      const x = view.from + places * pixel;
      if (x < 0 || x >= warp.endX) {
        continue;
      }
      const begin = warp.nsAt(x);
      const end = Math.max(warp.nsAt(Math.min(x + places, warp.endX)), begin + 1e-6);
      list[pixel] = curves.between(load, begin, end);
    }
    return list;
  },

  /** The same over [begin, end) of a load's time. */
  between(load, begin, end) {
    const first = load.columnAt(begin);
    const extremes = {high: first, low: first, fileHigh: load.high.file[first], fileLow: load.low.file[first]};
    for (let c = first + 1; c < load.highest.length && load.borders[c] < end; ++c) {
      extremes.high = load.highest[c] > load.highest[extremes.high] ? c : extremes.high;
      extremes.low = load.lowest[c] < load.lowest[extremes.low] ? c : extremes.low;
      extremes.fileHigh = Math.max(extremes.fileHigh, load.high.file[c]);
      extremes.fileLow = Math.min(extremes.fileLow, load.low.file[c]);
    }
    return extremes;
  },
};
