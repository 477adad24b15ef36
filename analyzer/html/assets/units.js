/** Sizes and times as size_text.cpp writes them: the page and the text report say the same. */
const units = (() => {
  const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

  /** As {:.1f} does: toFixed rounds exact halves up, C rounds them to even. */
  function fixed(value, digits) {
    const scaled = value * 10 ** digits;
    const isTie = scaled % 1 === 0.5 && (value * 2 ** (digits + 1)) % 1 === 0;
    return (isTie ? 2 * Math.round(scaled / 2) / 10 ** digits : value).toFixed(digits);
  }

  function size(bytes) {
    if (bytes < 1024) {
      return `${bytes} B`;
    }
    let value = bytes;
    let unit = 0;
    while (value >= 1023.95 && unit + 1 < SIZES.length) {
      value /= 1024;
      ++unit;
    }
    return `${fixed(value, value < 9.995 ? 2 : 1)} ${SIZES[unit]}`;
  }

  function time(ns) {
    if (ns < 1e3) {
      return `${ns} ns`;
    }
    if (ns < 999.5e3) {
      return `${fixed(ns / 1e3, ns < 9.95e3 ? 1 : 0)} us`;
    }
    if (ns < 999.5e6) {
      return `${fixed(ns / 1e6, ns < 9.95e6 ? 1 : 0)} ms`;
    }
    if (ns < 99.95e9) {
      return `${fixed(ns / 1e9, 1)} s`;
    }
    const seconds = Math.floor((ns + 5e8) / 1e9);
    return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  }

  const count = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ',');
  const signed = (value, text) => (value < 0 ? '-' : value > 0 ? '+' : '') + text(Math.abs(value));

  return {
    fixed,
    size,
    time,
    count,
    signedSize: (bytes) => signed(bytes, size),
    /** `10.0 GiB  (10,737,418,240 B)` */
    exactSize: (bytes) => (bytes < 1024 ? size(bytes) : `${size(bytes)} (${count(bytes)} B)`),
    /** As format_exact_time does: to the millisecond from a second on. */
    fineTime(ns) {
      if (ns < 999.5e6) {
        return time(Math.round(ns));
      }
      const ms = Math.floor((ns + 5e5) / 1e6);
      return ns < 99.95e9 ? `${fixed(ms / 1e3, 3)} s`
          : `${Math.floor(ms / 6e4)} min ${fixed(ms % 6e4 / 1e3, 3).padStart(6, '0')} s`;
    },
    /** To the microsecond: `3.230000 s`. */
    exactTime: (ns) => (ns < 1e6 ? `${units.count(ns)} ns` : `${(ns / 1e9).toFixed(6)} s`),
    share(part, whole) {
      if (whole === 0) {
        return '';
      }
      const percent = (100 * part) / whole;
      if (percent === 0) {
        return '0%';
      }
      return percent < 0.005 ? '<0.01%' : `${fixed(percent, percent < 9.995 ? 2 : 1)}%`;
    },
    counted: (number, one, many) => `${count(number)} ${number === 1 ? one : many}`,
  };
})();
