import type { Page } from '@playwright/test'

/**
 * As translators of browsers do it, in the worst form: each text, now and later, is taken out and replaced by an element in another
 * one, with words that are not the same. Also where it is asked not to: what a page can bear must not hang on that.
 */
export function translate(page: Page): Promise<void> {
  return page.evaluate(translator)
}

/** Translates every later document too, as browsers do that always translate a language. */
export async function translateAlways(page: Page): Promise<void> {
  await page.addInitScript(translator)
  await translate(page)
}

function translator(): void {
  const done = new WeakSet<Node>()
  const replace = (text: Text) => {
    const parent = text.parentElement
    if (done.has(text) || !/\S/.test(text.data) || parent?.closest('script, style, textarea')) return
    const [outer, inner] = [document.createElement('font'), document.createElement('font')]
    const other = document.createTextNode(/[a-z]/i.test(text.data) ? `${text.data}·` : text.data)
    done.add(other)
    inner.append(other)
    outer.append(inner)
    text.replaceWith(outer)
  }
  const replaceIn = (root: Node) => {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const found: Text[] = []
    while (texts.nextNode()) found.push(texts.currentNode as Text)
    for (const text of found) replace(text)
  }
  const begin = () => {
    // Two of them would translate each other for ever.
    if (document.documentElement.hasAttribute('data-translated')) return
    document.documentElement.setAttribute('data-translated', '')
    replaceIn(document.body)
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) {
          if (!node.isConnected) continue
          if (node instanceof Text) replace(node)
          else replaceIn(node)
        }
      }
    }).observe(document.body, { childList: true, subtree: true })
  }
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin)
  else begin()
}

/**
 * As extensions do that help in forms, from the beginning of each document on: elements beside every field, attributes on it, and elements of
 * theirs at both ends of the body.
 */
export async function helpInForms(page: Page): Promise<void> {
  await page.addInitScript(formHelper)
  await page.evaluate(formHelper)
}

function formHelper(): void {
  const help = () => {
    if (!document.body) return
    if (!document.querySelector('helper-panel')) {
      document.body.prepend(document.createElement('helper-panel'))
      document.body.append(document.createElement('helper-panel'))
      document.body.setAttribute('data-helper', '')
      document.documentElement.setAttribute('data-helper', '')
    }
    for (const field of document.querySelectorAll('input, textarea, select')) {
      if (field.hasAttribute('data-helper')) continue
      field.setAttribute('data-helper', 'filled')
      field.before(document.createElement('helper-icon'))
      field.after(document.createElement('helper-icon'))
    }
  }
  new MutationObserver(help).observe(document, { childList: true, subtree: true })
  help()
}
