import { keepDelivery } from '../activity/read-delivery.ts'
import { countUnanswered } from '../billing/debts/invoices.queries.ts'
import { lacksTerms } from '../billing/entitlements/may-subscribe.ts'
import { findTermsRefused } from '../billing/provider/platform.queries.ts'
import { findMailServerFault } from '../mail/smtp/smtp-session.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { findReplicaFault } from '../platform/distribution/replica.ts'
import type { Env } from '../platform/env.ts'
import { missingTexts } from '../platform/operator-texts.ts'
import { readFigures } from './figures.ts'
import { type Finding, judgeFigures } from './judge-figures.ts'

const ANSWER_LIMIT_MS = 2000

export type Status = { text: string; isWell: boolean }

/**
 * How the product stands, in lines for a person: what waits in the database, how mails of the last day went, whether the mail server can be
 * used, the replica where there is one, texts that a production lacks, why nobody can subscribe, and where METRICS_PORT is set, the figures of the process at that
 * port.
 */
export async function readStatus(
  db: Queryable,
  env: Pick<
    Env,
    | 'DATABASE_READ_URL'
    | 'METRICS_HOST'
    | 'METRICS_PORT'
    | 'NODE_ENV'
    | 'SMTP_URL'
    | 'STRIPE_SECRET_KEY'
    | 'TEXTS_DIR'
  >,
  now: Date,
): Promise<Status> {
  const parts = await Promise.all([
    readFigures(db, now).then(judgeFigures, () => [DATABASE_SILENT]),
    describeDelivery(db, now).catch(() => []),
    env.SMTP_URL ? describeMailServer(env.SMTP_URL) : [],
    env.DATABASE_READ_URL ? describeReplica(env.DATABASE_READ_URL) : [],
    describeTexts(env),
    describeSelling(db, env).catch(() => []),
    describeDisputes(db).catch(() => []),
    env.METRICS_PORT === undefined ? [] : readProcessFigures(addressOf(env.METRICS_HOST, env.METRICS_PORT)),
  ])
  return write(parts.flat(), now)
}

const DATABASE_SILENT: Finding = {
  what: 'Database',
  stands: 'does not answer',
  alarm: 'TradepostDatabaseSilent',
}

async function describeDelivery(db: Queryable, now: Date): Promise<Finding[]> {
  const { day } = await keepDelivery(db)(now)
  const stands =
    day.half === null || day.most === null
      ? 'none went out'
      : `${day.mails.toLocaleString('en-US')}, events: ${day.events.toLocaleString('en-US')}; half within ${seconds(day.half)}, 95 % within ${seconds(day.most)}`
  return [{ what: 'Mails of the last day', stands, alarm: null }]
}

/** @param text a decimal */
const seconds = (text: string) => `${Number(text).toFixed(1)} s`

async function describeMailServer(smtpUrl: string): Promise<Finding[]> {
  const fault = await findMailServerFault(smtpUrl)
  return [
    {
      what: 'Mail server',
      stands: fault ?? 'can be used',
      alarm: fault === null ? null : 'TradepostMailsWait',
    },
  ]
}

async function describeReplica(url: string): Promise<Finding[]> {
  const fault = await findReplicaFault(url)
  return [
    {
      what: 'Replica',
      stands: fault ?? 'is used',
      alarm: fault === null ? null : 'TradepostReplicaUnused',
    },
  ]
}

function describeTexts(env: Pick<Env, 'NODE_ENV' | 'TEXTS_DIR'>): Finding[] {
  const missing = missingTexts(env)
  if (missing.length === 0) return []
  const stands = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not in TEXTS_DIR: readers see built-in texts`
  return [{ what: 'Texts', stands, alarm: 'Terms, privacy and contact' }]
}

/** Whether anybody can subscribe; a line where nobody can, with what is missing (rule G-125). */
async function describeSelling(
  db: Queryable,
  env: Pick<Env, 'STRIPE_SECRET_KEY' | 'TEXTS_DIR'>,
): Promise<Finding[]> {
  const line = (stands: string) => ({ what: 'Subscribing', stands, alarm: 'Terms, privacy and contact' })
  if (lacksTerms(env)) return [line('nobody can: the key takes real money, and TEXTS_DIR has no terms.md')]
  const since = await findTermsRefused(db)
  if (since === null) return []
  return [
    line(
      `nobody can since ${since.toISOString()}: Stripe asks for the address of the terms in its public details`,
    ),
  ]
}

/** A line where a bank waits for an answer (rule G-129). */
async function describeDisputes(db: Queryable): Promise<Finding[]> {
  const count = await countUnanswered(db)
  if (count === 0) return []
  const stands = `${count} ${count === 1 ? 'waits' : 'wait'} for your answer: \`npm run operator -- disputes\``
  return [{ what: 'Disputes', stands, alarm: 'Disputes' }]
}

/** A process that listens everywhere is asked from here. */
function addressOf(host: string, port: number): string {
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

function write(findings: Finding[], now: Date): Status {
  const width = Math.max(...findings.map(({ what }) => what.length)) + 2
  const lines = findings.map(
    ({ alarm, stands, what }) =>
      `${alarm ? '!' : ' '} ${what.padEnd(width)}${stands}${alarm ? `  (${alarm})` : ''}`,
  )
  const alarms = [...new Set(findings.flatMap(({ alarm }) => alarm ?? []))]
  const verdict =
    alarms.length === 0
      ? 'Nothing needs a look.'
      : `Needs a look: ${alarms.join(', ')}. What to do stands under these names in docs/operations.md.`
  return {
    text: [`At ${now.toISOString()}`, ...lines, verdict].join('\n'),
    isWell: alarms.length === 0,
  }
}

/**
 * Reads the figures that one process exposes of itself at its metrics port, since it started.
 * @param address of the port, as `http://127.0.0.1:9464`
 * @returns one line that needs a look when it does not answer
 */
export async function readProcessFigures(address: string): Promise<Finding[]> {
  try {
    const answer = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return describe(await answer.text())
  } catch {
    const stands = `does not answer at ${address}`
    return [{ what: 'Process', stands, alarm: 'TradepostProcessAway' }]
  }
}

function describe(text: string): Finding[] {
  const sum = (series: RegExp) =>
    text
      .split('\n')
      .filter((line) => series.test(line))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  const requests = sum(/^tradepost_http_request_seconds_count\{/)
  const faults = sum(/^tradepost_http_request_seconds_count\{.*status="5/)
  const waiting = sum(/^tradepost_database_waiting /)
  const tries = sum(/^tradepost_mails_total\{/)
  const sent = sum(/^tradepost_mails_total\{.*outcome="sent"/)
  const calls = (provider: string, outcome = '') =>
    sum(new RegExp(`^tradepost_provider_call_seconds_count\\{provider="${provider}",outcome="${outcome}`))
  const called = (provider: string) => `${calls(provider, 'ok')} of ${calls(provider)} calls succeeded`
  return [
    {
      what: 'Requests of this process',
      stands: `${requests}, ${faults} of them faults`,
      // The counters cover all answers since the start: only a monitor knows whether it fails now.
      alarm: null,
    },
    {
      what: 'Its database pool',
      stands: `${sum(/^tradepost_database_connections_in_use /)} of ${sum(/^tradepost_database_pool_size /)} in use, ${waiting} waiting`,
      alarm: waiting > 0 ? 'TradepostPoolFull' : null,
    },
    { what: 'Its tries at mails', stands: `${tries}, ${sent} of them taken`, alarm: null },
    { what: 'Price provider', stands: called('market'), alarm: null },
    { what: 'Stripe', stands: called('payments'), alarm: null },
    { what: 'Open feeds', stands: String(sum(/^tradepost_streams_open /)), alarm: null },
  ]
}
