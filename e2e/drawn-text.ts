import type { Locator } from '@playwright/test'

/** Where a part of an element's text is drawn, the first time that it is. */
export function drawnAt(element: Locator, part: string): Promise<{ left: number; right: number }> {
  return element.evaluate((root, text) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const start = node.textContent?.indexOf(text) ?? -1
      if (start === -1) continue
      const range = document.createRange()
      range.setStart(node, start)
      range.setEnd(node, start + text.length)
      const { left, right, width } = range.getBoundingClientRect()
      if (width > 0) return { left, right }
    }
    throw new Error(`${text} is not drawn`)
  }, part)
}

/** Parts of an element's line of text, from left to right. */
export async function fromTheLeft(element: Locator, parts: readonly string[]): Promise<string[]> {
  const drawn = await Promise.all(parts.map(async (part) => ({ part, ...(await drawnAt(element, part)) })))
  return drawn.sort((one, other) => one.left - other.left).map(({ part }) => part)
}
