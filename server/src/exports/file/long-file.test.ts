import { setImmediate as turn } from 'node:timers/promises'
import { Unzip, UnzipInflate } from 'fflate'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { statementsOf } from '../../../test/database/query-log.ts'
import { makeTrader } from '../../../test/factories.ts'
import { insertLongHistory } from '../../../test/long-history.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { readPerson } from '../links/take-export.ts'

const POSITIONS = 10_000
const TEN_YEARS_AGO = new Date('2016-03-04T15:00:00.000Z')

test('ten thousand positions are read a page at a time, and no faster than the bytes are taken', async () => {
  await using testApp = await buildTestApp()
  const { clock, pool, product, settings } = testApp
  const trader = await makeTrader(testApp)
  await insertLongHistory(
    pool,
    { traderId: trader.userId, positions: POSITIONS, withEvents: 500 },
    TEN_YEARS_AGO,
  )
  const { priceRights: rights, record: witnessing } = settings
  const deps = { db: product.db, secret: makeSecretKey(settings.authSecret), witnessing, rights }
  const bytes = await readPerson(deps, trader.userId, clock.now())
  const sizes: number[] = []
  const rows = countLines('csv/positions.csv')
  const take = async () => {
    const { done, value } = await bytes.next()
    if (value) {
      sizes.push(value.length)
      rows.push(value)
    }
    return done === true
  }
  const pagesOf = (texts: string[]) => texts.filter((text) => /\bfrom positions\b/.test(text)).length

  const first = await statementsOf(testApp, async () => {
    while (sizes.length < 40) await take()
  })
  // A reader who takes nothing: the database is asked for nothing either.
  const paused = await statementsOf(testApp, async () => {
    for (let turns = 0; turns < 100; turns += 1) await turn()
  })
  expect(paused).toEqual([])
  const rest = await statementsOf(testApp, async () => {
    while (!(await take()));
  })
  // 50 rows a page and an empty one, for the JSON and for the table.
  expect(pagesOf(first) + pagesOf(rest)).toBe(2 * 201)
  expect(pagesOf(first)).toBeLessThan(40)
  expect(Math.max(...sizes)).toBeLessThan(256 * 1024)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(2 * 1024 * 1024)
  expect(rows.count()).toBe(POSITIONS + 1)
})

/** Counts the lines of a file of the archive, as it comes. */
function countLines(name: string) {
  let lines = 0
  const unzip = new Unzip((file) => {
    if (file.name !== name) return
    file.ondata = (error, data) => {
      if (error) throw error
      for (const byte of data) if (byte === 10) lines += 1
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  return { push: (bytes: Uint8Array) => unzip.push(bytes), count: () => lines }
}
