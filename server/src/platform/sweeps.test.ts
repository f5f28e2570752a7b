import { expect, test } from 'vitest'
import { silentLog } from '../../test/database/database.ts'
import { systemClock } from './clock.ts'
import { startSweeps } from './sweeps.ts'

test('sweeps run again and again, one that fails keeps none of the others, and stopping lets the last one end', async () => {
  const ran: string[] = []
  const held = Promise.withResolvers<void>()
  let hold = false
  const sweeps = startSweeps({
    sweeps: [
      {
        name: 'failing',
        async run() {
          ran.push('failing')
          throw new Error('as asked')
        },
      },
      {
        name: 'working',
        async run() {
          ran.push('working')
          if (hold) await held.promise
          ran.push('worked')
        },
      },
    ],
    pauseMs: 1,
    clock: systemClock,
    log: silentLog,
  })
  await expect.poll(() => ran.length).toBeGreaterThan(6)
  expect(ran.slice(0, 6)).toEqual(['failing', 'working', 'worked', 'failing', 'working', 'worked'])
  hold = true
  const begun = ran.length
  await expect.poll(() => ran.slice(begun)).toContain('working')
  const stopping = sweeps.stop()
  held.resolve()
  await stopping
  const after = ran.length
  expect(ran.at(-1)).toBe('worked')
  await new Promise((resolve) => setImmediate(resolve))
  expect(ran.length).toBe(after)
})
