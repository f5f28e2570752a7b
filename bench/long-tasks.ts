import type { Page } from '@playwright/test'
import { longestTask } from './in-page.ts'

const ROUNDS = 12

/** In how many rounds of something the main thread had a task of over 50 ms, which is what the browser reports. */
export async function reportLongTasks(page: Page, what: string, act: () => Promise<void>): Promise<void> {
  const longest: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await act()
    longest.push(await page.evaluate(longestTask))
  }
  const median = longest.toSorted((a, b) => a - b)[ROUNDS / 2] ?? 0
  const rounds = longest.filter((duration) => duration > 0).length
  const worst = rounds === 0 ? '' : `, the longest ${Math.max(...longest)} ms, the median ${median} ms`
  console.log(`  ${what}: in ${rounds} of ${ROUNDS} rounds${worst}`)
}
