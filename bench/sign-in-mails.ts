import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodemailer from 'nodemailer'
import { startEmbeddedPostgres } from '../server/src/dev/embedded-postgres.ts'
import { makeLog } from '../server/src/platform/log.ts'
import { migrate } from '../server/src/platform/upgrade/migrate.ts'
import { type CountingSink, startCountingSink } from '../server/test/mails/counting-sink.ts'
import { startWorkerProcess } from '../server/test/processes/worker-process.ts'
import { type Contender, compare } from './ratio.ts'
import { MAIN, startServer } from './server-process.ts'
import { askAll, post } from './sign-in/http-line.ts'

const MAILS = 800
const PEOPLE_AT_ONCE = 80
/** Connections of a lane of the outbox. */
const CONNECTIONS = 8
const ROUNDS = 5

/**
 * Sign-in mails while 80 people ask at once, from the first request to the last mail at a counting mail server. API, worker and
 * PostgreSQL are separate processes as in production. The ceiling is a pool of the same library that sends finished words,
 * with no request, no database and no record.
 */
export async function benchSignInMails(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-bench-'))
  const log = makeLog('silent', false)
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log })
  const sink = await startCountingSink()
  try {
    await migrate(postgres.url, log)
    const target = { databaseUrl: postgres.url, smtpUrl: sink.url, connections: CONNECTIONS }
    const worker = await startWorkerProcess(target)
    const api = await startServer([MAIN, 'api'], 'Tradepost', {
      DATABASE_URL: postgres.url,
      SMTP_URL: sink.url,
      AUTH_SECRET: 'a secret of the tests and of nobody else',
      QUOTES_API_BASE: 'http://127.0.0.1:9',
      QUOTES_API_KEY: 'unused',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
    })
    const ours = asking(api.port, sink)
    // Code is compiled, connections are opened.
    await ours.run()
    const title = `${MAILS} sign-in mails, ${PEOPLE_AT_ONCE} people asking at once`
    await compare(title, 'mails/s', ours, [pool(sink)], ROUNDS)
    await Promise.all([api.stop(), worker.stop()])
  } finally {
    await sink.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function asking(port: number, sink: CountingSink): Contender {
  let round = 0
  return {
    name: 'Tradepost, API and worker',
    async run() {
      round += 1
      const before = sink.byMessageId.size
      const started = performance.now()
      const request = (index: number) =>
        post('/auth/v1/otp', { email: `person${index}@round${round}.example`, create_user: true })
      const answer = ({ status }: { status: number }) => {
        if (status !== 200) throw new Error(`answered ${status}`)
      }
      const seconds = await askAll(port, MAILS, { request, answer }, PEOPLE_AT_ONCE)
      await sink.until(() => sink.byMessageId.size === before + MAILS)
      const whole = (performance.now() - started) / 1000
      console.log(`  asked in ${seconds.toFixed(2)} s, all mailed after ${whole.toFixed(2)} s`)
      return MAILS / whole
    },
  }
}

function pool(sink: CountingSink): Contender {
  return {
    name: 'nodemailer pool, no request, no database, no record',
    async run() {
      const transport = nodemailer.createTransport({ url: sink.url, pool: true, maxConnections: CONNECTIONS })
      const words = sink.kept[0]?.raw ?? ''
      const [text = '', html = ''] = words.split('Content-Type: text/html')
      const started = performance.now()
      await Promise.all(
        Array.from({ length: MAILS }, (_, index) =>
          transport.sendMail({
            from: 'signals@tradepost.example',
            to: `person${index}@people.example`,
            subject: '042137 is your sign-in code',
            text,
            html,
          }),
        ),
      )
      const rate = (MAILS / (performance.now() - started)) * 1000
      transport.close()
      return rate
    },
  }
}
