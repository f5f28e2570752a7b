import { join } from 'node:path'
import { systemClock } from '../../server/src/platform/clock.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import type { TestDatabase } from '../../server/test/database/database.ts'
import { deliverSignInMails } from '../../server/test/sign-in/sign-in-mails.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'
import { type Answer, get, post } from './http-line.ts'

/** A server that signs people in, and how it is asked. */
export type Contestant = ServerProcess & {
  name: string
  askForCode(email: string): string
  /** The codes that were drawn since the last look, by address. */
  readCodes(): Promise<Map<string, string>>
  useCode(email: string, code: string): string
  /** The token in the answer to a right code, with which one is signed in. */
  readProof(answer: Answer): string
  checkSession(proof: string): string
}

const BENCH = join(import.meta.dirname, '..')

/** Ours: the API process as it runs in production, limits off. Worker's work is done when codes are read. */
export async function startOurs(database: TestDatabase): Promise<Contestant> {
  const settings = testSettings()
  const server = await startServer([MAIN, 'api'], 'Tradepost', {
    DATABASE_URL: database.url,
    AUTH_SECRET: settings.authSecret,
    SMTP_URL: 'smtp://127.0.0.1:9',
    QUOTES_API_BASE: 'http://127.0.0.1:9',
    QUOTES_API_KEY: 'unused',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  })
  return { name: 'Tradepost', ...server, ...ourWire(database) }
}

/** The ceiling: see bare-server.ts. */
export async function startBare(database: TestDatabase): Promise<Contestant> {
  const script = join(BENCH, 'sign-in/bare-server.ts')
  const server = await startServer([script], 'ready', { DATABASE_URL: database.url })
  return { name: 'bare node:http, same statements, hashes and signatures', ...server, ...ourWire(database) }
}

/** Codes exist in mails alone: the real task draws them, into an array instead of a mail server. */
function ourWire(database: TestDatabase): Omit<Contestant, 'name' | keyof ServerProcess> {
  const room = { ...database, clock: systemClock, settings: testSettings() }
  return {
    askForCode: (email) => post('/auth/v1/otp', { email, create_user: true }),
    readCodes: async () =>
      new Map((await deliverSignInMails(room)).map(({ to, code }): [string, string] => [to, code])),
    useCode: (email, token) => post('/auth/v1/verify', { email, token, type: 'email' }),
    readProof: ({ body }) => JSON.parse(body).access_token,
    checkSession: (proof) => get('/v1/accounts/configuration', [`Authorization: Bearer ${proof}`]),
  }
}
