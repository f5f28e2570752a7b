/** The beginning of a storage key; the part's address follows, so that two parts do not cause reloads in turn. */
const TRIED = 'tradepost-loaded-anew '

/**
 * To be called when a part of the page could not be fetched. One that a new version of the product took away comes with the document of
 * that version alone, so the page reloads itself: once for each part and tab, or it would go on for ever.
 * @returns when the page stays: the part is there, the server cannot be asked, or reloading did not help
 */
export async function reloadIfGone(failure: unknown): Promise<void> {
  // Browsers name the part in what they throw; WebKit does not, and there the whole page answers for it.
  const part = /https?:\S+/.exec(String(failure))?.[0]
  try {
    const { ok } = await fetch(part ?? location.href, { method: 'HEAD', cache: 'no-store' })
    if (ok === (part !== undefined) || sessionStorage.getItem(TRIED + part) !== null) return
    sessionStorage.setItem(TRIED + part, '')
  } catch {
    // No network, or a browser that stores nothing: it could not record that a reload was tried.
    return
  }
  location.reload()
  await new Promise(() => undefined)
}
