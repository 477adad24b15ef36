/** Names of functions where there is little room. */
const names = {
  /** Its lines end behind scopes rather than within a name: `acme::|loader::|read`. */
  lines: (name) => linesBehind(name, /.*?::|.+$/g),

  /**
   * What of a name has room, as fit_function in stack_text.hpp has it: outer scopes give way first, then its middle.
   * Rows that begin alike mostly end otherwise. Where there is no room for two ends its beginning is left; nothing
   * where that would be fewer than three letters.
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
    const [FEWEST, BOTH_ENDS] = [3, 11];
    const cut = (kept) => {
      const end = kept < BOTH_ENDS ? 0 : Math.floor(kept / 3);
      return `${letters.slice(0, kept - end).join('')}…${letters.slice(letters.length - end).join('')}`;
    };
    // The most letters that have room.
    let [fits, fails] = [FEWEST - 1, letters.length];
    while (fails - fits > 1) {
      const tried = (fits + fails) >> 1;
      hasRoom(cut(tried)) ? fits = tried : fails = tried;
    }
    return fits < FEWEST ? '' : cut(fits);
  },
};
