import type { Page } from '@playwright/test'

/** The server does what the next call asks, and its answer is lost on the way. */
export async function loseAnswer(page: Page, path: string): Promise<void> {
  const call = (url: URL) => url.pathname === path
  await page.route(
    call,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
}
