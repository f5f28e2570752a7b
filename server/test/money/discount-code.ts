import { newId } from '../../src/platform/ids.ts'
import type { TestApp } from '../build-test-app.ts'

/** Gives a trader a code that takes 10 % off, where they have none of that name. @returns its id */
export async function putDiscountCode(
  { clock, pool }: Pick<TestApp, 'clock' | 'pool'>,
  trader: { userId: string },
  code: string,
): Promise<string> {
  const id = newId()
  await pool.query(
    `insert into discount_codes (trader_id, id, code, percent_off, currency, created_at) values ($1, $2, $3, 10, 'usd', $4)
     on conflict do nothing`,
    [trader.userId, id, code, clock.now()],
  )
  return id
}
