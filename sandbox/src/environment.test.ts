import { expect, test } from 'vitest'
import { readEnvironment } from './environment.ts'

test('an empty environment means all parts on the standard ports of this machine', () => {
  expect(readEnvironment({ HOST: '', CLOCK_FILE: '' })).toEqual({
    host: '127.0.0.1',
    port: 3001,
    smtpPort: 3025,
    parts: ['mail', 'market', 'stripe'],
    clockFile: null,
    dataDir: 'data/sandbox',
  })
})

test('given values are used', () => {
  const env = {
    HOST: '::1',
    SANDBOX_PORT: '0',
    SANDBOX_SMTP_PORT: '2525',
    SANDBOX_PARTS: 'market',
    CLOCK_FILE: '/x',
    DATA_DIR: '/y',
  }
  expect(readEnvironment(env)).toEqual({
    host: '::1',
    port: 0,
    smtpPort: 2525,
    parts: ['market'],
    clockFile: '/x',
    dataDir: '/y/sandbox',
  })
})

test('every fault is named at once', () => {
  const env = {
    HOST: '0.0.0.0',
    SANDBOX_PORT: '70000',
    SANDBOX_SMTP_PORT: '-1',
    SANDBOX_PARTS: 'mail,banana',
  }
  expect(() => readEnvironment(env)).toThrow(
    /HOST.*\nSANDBOX_PORT.*\nSANDBOX_SMTP_PORT.*\nSANDBOX_PARTS knows mail, market, stripe, not "banana"/,
  )
})
