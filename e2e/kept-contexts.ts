import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test'

/** A page of the product that stays open: the next page is drawn by the same process, which has the code compiled. */
const SMALL_PAGE = '/healthz'

/** How a context was made, and its page that stays open. */
type Kept = { made: string; page: Page }

type Prepare = (context: BrowserContext) => Promise<void>

/** How a browser is set, and what local storage of the product it begins with. */
type Wanted = { options: BrowserContextOptions; stored: Record<string, string> }

/**
 * Contexts of a worker's browser, each for one person at a time. Each person gets a browser that nobody has used: what a
 * test leaves is deleted. Starting a process and compiling the app would take most of the time of a page.
 */
export class KeptContexts {
  readonly #browser: Browser
  readonly #origins: string[]
  readonly #free = new Map<string, BrowserContext[]>()
  readonly #kept = new Map<BrowserContext, Kept>()

  /** @param origins whose data is deleted; the first one is the product's */
  constructor(browser: Browser, origins: string[]) {
    this.#browser = browser
    this.#origins = origins
  }

  /** @param prepare once for each context, before any page of a test */
  async take(wanted: Wanted, prepare: Prepare): Promise<BrowserContext> {
    const made = JSON.stringify(wanted.options)
    const context = this.#free.get(made)?.pop() ?? (await this.#open(wanted, prepare))
    await this.#keptOf(context).page.evaluate(storeAll, wanted.stored)
    return context
  }

  /** One whose pages get a new process, which has compiled nothing and whose network no other page shares. To be ended. */
  async takeCold(wanted: Wanted, prepare: Prepare): Promise<BrowserContext> {
    const context = await this.#open(wanted, prepare)
    await this.#keptOf(context).page.evaluate(storeAll, wanted.stored)
    await this.#keptOf(context).page.close()
    return context
  }

  async #open({ options }: Wanted, prepare: Prepare): Promise<BrowserContext> {
    const context = await this.#browser.newContext(options)
    const page = await context.newPage()
    await page.goto(this.#origins[0] + SMALL_PAGE)
    this.#kept.set(context, { made: JSON.stringify(options), page })
    await prepare(context)
    return context
  }

  #keptOf(context: BrowserContext): Kept {
    const kept = this.#kept.get(context)
    if (!kept) throw new Error('a context that was not taken here')
    return kept
  }

  /** Ends a context for good. */
  async end(context: BrowserContext): Promise<void> {
    this.#kept.delete(context)
    await context.close()
  }

  /** Makes a context ready for the next test, with everything deleted; one that cannot be cleaned is ended. */
  async giveBack(context: BrowserContext): Promise<void> {
    // A service worker can live on for seconds after its registration is deleted, with what it holds of the test.
    if (context.serviceWorkers().length > 0) return this.end(context)
    const kept = this.#keptOf(context)
    await Promise.all(context.pages().map((page) => page !== kept.page && page.close()))
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await context.clearPermissions()
    await context.clearCookies()
    const wire = await context.newCDPSession(kept.page)
    for (const origin of this.#origins)
      await wire.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    await wire.send('Network.clearBrowserCache')
    await wire.detach()
    this.#free.set(kept.made, [...(this.#free.get(kept.made) ?? []), context])
  }
}

function storeAll(values: Record<string, string>): void {
  for (const [key, value] of Object.entries(values)) localStorage.setItem(key, value)
}
