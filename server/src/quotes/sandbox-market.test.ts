import { expect, test } from 'vitest'
import { silentLog } from '../../test/database.ts'
import { startSandboxProcess } from '../dev/sandbox-process.ts'
import { systemClock } from '../platform/clock.ts'
import { readEnv } from '../platform/env.ts'
import { makePriceSource } from './price-source.ts'

test('the sandbox market answers on the wire that the price source speaks', async () => {
  const env = readEnv({ SANDBOX_PORT: '0', SANDBOX_SMTP_PORT: '0' })
  const sandbox = await startSandboxProcess(env, ['market'], silentLog)
  try {
    const prices = makePriceSource({
      base: sandbox.address.url,
      key: 'sandbox',
      clock: systemClock,
      log: silentLog,
    })
    const { price, at } = await prices.quote('AAPL')
    expect(Number(price)).toBeGreaterThan(0)
    expect(Date.now() - at.getTime()).toBeLessThan(60_000)
    await expect(prices.quote('NOSUCH')).rejects.toMatchObject({ code: 'symbol_not_found' })
  } finally {
    await sandbox.stop()
  }
})
