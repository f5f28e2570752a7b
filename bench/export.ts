import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { MARKET_OPEN_AT, type Product, startProduct } from '../e2e/product.ts'
import { signInByCode } from '../e2e/sign-in-by-code.ts'
import { insertLongHistory } from '../server/test/long-history.ts'

const POSITIONS = 10_000
const TEN_YEARS_MS = 10 * 365.25 * 86_400_000
const SAMPLED_EVERY_MS = 10
const SETTLES_MS = 10_000
const MEMORY_MAX_MB = 64

/**
 * A trader's file of ten years with 10,000 positions, over HTTP, from a product that has been idle: how much memory its process takes
 * beyond that, and how long it lasts. A small file is taken first, so that the code is loaded.
 */
export async function benchExport(): Promise<void> {
  // As `npm start` has it.
  const product = await startProduct({ NODE_OPTIONS: '--max-semi-space-size=4' })
  try {
    await takeFile(product, await prepare(product, 'small@people.example', 0))
    const path = await prepare(product, 'large@people.example', POSITIONS)
    await pause(SETTLES_MS)
    const idle = residentMb(product)
    let most = idle
    const sampling = setInterval(() => {
      most = Math.max(most, residentMb(product))
    }, SAMPLED_EVERY_MS)
    const { bytes, ms } = await takeFile(product, path)
    clearInterval(sampling)
    const above = most - idle
    console.log(
      `\na file of ${POSITIONS} positions with their events: ${(bytes / 1e6).toFixed(1)} MB in ${(ms / 1000).toFixed(1)} s`,
    )
    console.log(`  ${above.toFixed(1)} MB above the idle ${idle.toFixed(1)} MB (at most ${MEMORY_MAX_MB})`)
    if (above > MEMORY_MAX_MB) process.exitCode = 1
  } finally {
    await product.stop()
  }
}

/** A person with a past. @returns the path that gives their file */
async function prepare(product: Product, email: string, positions: number): Promise<string> {
  const { access_token: token, user } = await signInByCode(product, email)
  const from = new Date(MARKET_OPEN_AT.getTime() - TEN_YEARS_MS)
  const { pool } = product.database
  await insertLongHistory(pool, { traderId: user.id, positions, withEvents: positions }, from)
  const asked = await fetch(`${product.url}/v1/accounts/export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  return ((await asked.json()) as { path: string }).path
}

async function takeFile(product: Product, path: string) {
  const began = performance.now()
  const answer = await fetch(product.url + path, { method: 'POST' })
  let bytes = 0
  for await (const part of answer.body ?? []) bytes += (part as Uint8Array).length
  return { bytes, ms: performance.now() - began }
}

/** Of the process that serves. */
function residentMb({ pid }: Product): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
