'use strict';

/** Reads the lists of numbers that packed.cpp writes. */
const numbers = {
  /**
   * Differences, zigzag, varints, a character a byte from `]` on; behind a difference of 0 the number of those that follow.
   * Doubles: whole up to 2^53, which the writer keeps to.
   */
  unpack(text) {
    const list = [];
    let last = 0;
    let coded = 0;
    let scale = 1;
    let isRun = false;
    for (let i = 0; i < text.length; ++i) {
      const code = text.charCodeAt(i);
      const byte = code - (code < 0xa1 ? 0x5d : 0x7f);
      coded += (byte & 127) * scale;
      scale *= 128;
      if (byte < 128) {
        if (isRun) {
          for (let more = 0; more < coded; ++more) {
            list.push(last);
          }
        } else {
          last += coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
          list.push(last);
        }
        isRun = !isRun && coded === 0;
        coded = 0;
        scale = 1;
      }
    }
    return list;
  },

  /** The index of the first entry of a sorted list that is greater than `value`. */
  after(list, value) {
    let from = 0;
    let to = list.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (list[middle] > value) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  },

  clamp(value, least, most) {
    return Math.max(least, Math.min(most, value));
  },
};
