/** Where the instants of a load lie on the axis, which runs from 0 to 1; linear between knots. */
class Warp {
  constructor(places, times) {
    this.places = places;
    this.times = times;
  }

  static ofTime(end) {
    return new Warp([0, 1], [0, end]);
  }
  /** As diff_document.cpp writes it. */
  static of(data) {
    return new Warp(numbers.unpack(data.x).map((x) => x / data.scale), numbers.unpack(data.ns));
  }

  static between(from, to, value) {
    const after = numbers.after(from, value);
    if (after === 0) {
      return to[0];
    }
    if (after === from.length) {
      return to[to.length - 1];
    }
    const share = (value - from[after - 1]) / (from[after] - from[after - 1]);
    return to[after - 1] + (to[after] - to[after - 1]) * share;
  }

  xOf(ns) {
    return Warp.between(this.times, this.places, ns);
  }
  nsAt(x) {
    return Warp.between(this.places, this.times, x);
  }
  /** Where the load ends on the axis. */
  get endX() {
    return this.places[this.places.length - 1];
  }
}

/** Round numbers for axes. */
const ticks = (() => {
  const TIME_UNITS = [['s', 1e9], ['ms', 1e6], ['us', 1e3], ['ns', 1]];

  /** The smallest of 1, 2, 5 times a power of ten that cuts `length` in at most `most`. */
  function decimalStep(length, most) {
    const least = Math.max(length / Math.max(most, 1), 1);
    const power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9));
  }

  /** Times over a minute go by the minute and the second. */
  function clockText(ns) {
    const seconds = Math.round(ns / 1e9);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
  }

  function timeStep(length, most) {
    const rounds = [10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600].map((seconds) => seconds * 1e9);
    return length < 100e9 ? decimalStep(length, most)
                          : rounds.find((step) => length / step <= most) ?? decimalStep(length, most);
  }

  return {
    /** Of the times in [begin, end]: {value, text}, in one unit and with as many digits as needed. */
    times(begin, end, most) {
      const step = timeStep(end - begin, most);
      const [unit, factor] = TIME_UNITS.find(([, size]) => end >= size && step * 1000 > size) ?? TIME_UNITS[3];
      const digits = Math.max(0, -Math.floor(Math.log10(step / factor) + 1e-9));
      const list = [];
      for (let at = Math.ceil(begin / step) * step; at <= end; at += step) {
        list.push({value: at, text: at === 0 ? '0'
            : end - begin >= 100e9 ? clockText(at) : `${(at / factor).toFixed(digits)} ${unit}`});
      }
      return list;
    },

    /** Of the sizes from 0 to `top`, each step a power of two bytes. */
    sizes(top, most) {
      let step = 1;
      while (top / step > most) {
        step *= 2;
      }
      const list = [];
      for (let at = 0; at <= top; at += step) {
        list.push({value: at, text: at === 0 ? '0' : units.size(at).replace('.0 ', ' ')});
      }
      return list;
    },

    /** W, 2W ... up to `top`; fewer where those would be too many, none where W is small. */
    models(modelBytes, top) {
      if (modelBytes === 0 || top / modelBytes > 40) {
        return [];
      }
      const step = Math.ceil(top / modelBytes / 8);
      const list = [];
      for (let times = step; times * modelBytes <= top; times += step) {
        list.push({value: times * modelBytes, text: times === 1 ? 'W' : `${times}W`});
      }
      return list;
    },
  };
})();
