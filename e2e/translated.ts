import type { Page } from '@playwright/test'

/** As translators of browsers do: each text, now and later, is replaced by an element with another one. */
export function translate(page: Page): Promise<void> {
  return page.evaluate(() => {
    const done = new WeakSet<Node>()
    const replace = (root: Node) => {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
      const found: Text[] = []
      while (texts.nextNode()) found.push(texts.currentNode as Text)
      for (const text of found) {
        if (
          done.has(text) ||
          !/[a-z]/i.test(text.data) ||
          text.parentElement?.closest('script, style, textarea')
        )
          continue
        const font = document.createElement('font')
        const other = document.createTextNode(`${text.data}·`)
        done.add(other)
        font.append(other)
        text.replaceWith(font)
      }
    }
    replace(document.body)
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node.isConnected) replace(node.parentNode ?? node)
    }).observe(document.body, { childList: true, subtree: true })
  })
}
