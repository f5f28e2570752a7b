/** What the renderer leaves without a name, or without a way to it by keyboard: selector, attribute, value. */
const MISSING = [
  ['select.examples-select-element', 'aria-label', 'Example'],
  ['.content-type-wrapper select, select.content-type', 'aria-label', 'Media type'],
  ['textarea', 'aria-label', 'Request body'],
  ['pre', 'tabindex', '0'],
] as const

/** Gives fields their names, and samples that scroll a place in the order of the Tab key, now and whenever more is drawn. */
export function nameFields(part: Element): void {
  const name = () => {
    for (const [selector, attribute, value] of MISSING) {
      for (const element of part.querySelectorAll(`:is(${selector}):not([${attribute}])`))
        element.setAttribute(attribute, value)
    }
  }
  new MutationObserver(name).observe(part, { childList: true, subtree: true })
}
