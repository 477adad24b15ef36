/**
 * Makes an element. What comes from a trace goes in as text or as a property, never as markup.
 *
 * @param attributes `class`, `title`, `aria-...`; functions are listeners (`click`), `style` is an
 *     object of properties, and what is null or false is left out.
 */
function el(tag, attributes = {}, ...children) {
  const HAS_LINES = /^(h[1-3]|p|li|div)$/;
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      node.addEventListener(name, value);
    } else if (name === 'style') {
      for (const [property, text] of Object.entries(value)) {
        node.style.setProperty(property, text);
      }
    } else if (value !== null && value !== false && value !== undefined) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  const kept = children.flat(2).filter((child) => child !== null && child !== undefined);
  node.append(...(HAS_LINES.test(tag) ? kept.flatMap(withWholeSizes) : kept));
  return node;
}

/** A text whose lines end between words, but not between a number and its unit: `96.1 MiB`, `1.05 x W`. */
function withWholeSizes(text) {
  if (typeof text !== 'string') {
    return [text];
  }
  return text.split(/(\b\d[\d.,]* (?:[KMGT]iB|B|ns|µs|us|ms|s|[x×] W)\b)/)
      .map((part, i) => (i % 2 ? el('span', {class: 'whole'}, part) : part)).filter((part) => part !== '');
}

/** A text whose lines end behind these parts of it rather than within one: `/a/|b.py`. */
const linesBehind = (text, part) => (text.match(part) ?? [])
    .flatMap((each, i) => (i === 0 ? [each] : [el('wbr'), each]));

/** A titled part of the page. */
function section(id, title, ...children) {
  return el('section', {id, 'aria-labelledby': `${id}-title`},
      el('h2', {id: `${id}-title`}, title), ...children);
}

/** Draws at most once a frame, however often it is asked. */
function onceAFrame(draw) {
  let isAsked = false;
  return () => {
    if (!isAsked) {
      isAsked = true;
      requestAnimationFrame(() => {
        isAsked = false;
        draw();
      });
    }
  };
}
