/** Names of functions where there is little room. */
const names = {
  /** Its lines end behind scopes rather than within a name: `acme::|loader::|read`. */
  lines: (name) => linesBehind(name, /.*?::|.+$/g),

  /**
   * What of a name has room, as fit_function in stack_text.hpp has it: outer scopes give way first, then its middle.
   * Rows that begin alike mostly end otherwise.
   */
  fitted(name, hasRoom) {
    let left = name;
    while (!hasRoom(left) && /^[^<( ]*?::./.test(left)) {
      left = left.slice(left.indexOf('::') + 2);
    }
    if (hasRoom(left)) {
      return left;
    }
    const letters = [...left];
    const cut = (kept) => {
      const end = Math.floor(kept / 3);
      return `${letters.slice(0, kept - end).join('')}…${letters.slice(letters.length - end).join('')}`;
    };
    // The most letters that have room; with fewer than these two ends tell no more than one.
    const FEWEST = 5;
    let [fits, fails] = [FEWEST - 1, letters.length];
    while (fails - fits > 1) {
      const tried = (fits + fails) >> 1;
      hasRoom(cut(tried)) ? fits = tried : fails = tried;
    }
    return fits < FEWEST ? left : cut(fits);
  },
};
