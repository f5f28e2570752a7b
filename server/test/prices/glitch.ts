import { makeSecretKey } from '../../src/auth/keys/secret-key.ts'
import { mailRetraction } from '../../src/mail/notices/mail-retraction.ts'
import { type Retracted, retractPrices } from '../../src/positions/correct/retract-prices.ts'
import { recountStatistics } from '../../src/positions/record/recount-statistics.ts'
import { makeFinnhub } from '../../src/quotes/adapters/finnhub.ts'
import type { TestApp } from '../build-test-app.ts'
import { type GivenPosition, insertCloses, insertPositions } from './proven-scenario.ts'
import type { QuoteServer } from './quote-server.ts'

/** Ten minutes of a Wednesday in which prices were wrong, and the evening after them. */
export const FROM = '2026-03-04T14:40:00Z'
export const TO = '2026-03-04T14:50:00Z'
export const EVENING = new Date('2026-03-04T22:00:00.000Z')
export const REASON = 'Nobody traded at these prices.'

/** Opened the day before at 100, closed in the glitch at 9,999,999. */
export const closedInIt = (traderId: string, symbol: string): GivenPosition => ({
  traderId,
  symbol,
  openedAt: '2026-03-03T15:00:00Z',
  openPrice: 100,
  closedAt: '2026-03-04T14:45:00Z',
  closePrice: 9_999_999,
})

/** Opened in the glitch for nearly nothing, and held. */
export const openedInIt = (traderId: string, symbol: string): GivenPosition => ({
  traderId,
  symbol,
  openedAt: '2026-03-04T14:41:00Z',
  openPrice: 0.0001,
})

/** These positions, and in the evening a close of the symbol. */
export async function haveGlitch(
  testApp: TestApp,
  symbol: string,
  { close, positions }: { positions: readonly GivenPosition[]; close: number },
): Promise<void> {
  await insertPositions(testApp, positions)
  await recountStatistics(testApp.db)
  testApp.clock.set(EVENING)
  await insertCloses(testApp, [[symbol, '2026-03-04', close]])
}

type Given = { symbol: string; from?: string; to?: string; reason?: string }

/** As `prices:retract` does it, in this process. */
export async function retract(
  { clock, db, settings }: TestApp,
  { from = FROM, reason = REASON, symbol, to = TO }: Given,
  quotes?: QuoteServer,
): Promise<Retracted & { mailed: number }> {
  const provider = makeFinnhub({ ...(quotes?.provider ?? settings.quotes), clock })
  const deps = { db, secret: makeSecretKey(settings.authSecret), provider }
  const retracted = await retractPrices(deps, { symbol, from, to, reason }, clock.now())
  return { ...retracted, mailed: await mailRetraction(db, retracted.id, clock.now()) }
}
