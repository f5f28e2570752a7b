import { keepDelivery } from '../activity/read-delivery.ts'
import { findMailServerFault } from '../mail/smtp/smtp-session.ts'
import type { Queryable } from '../platform/database.ts'
import type { Env } from '../platform/env.ts'
import { findReplicaFault } from '../platform/replica.ts'
import { readFigures } from './figures.ts'
import { type Finding, judgeFigures } from './judge-figures.ts'
import { readProcessFigures } from './process-figures.ts'

export type Status = { text: string; isWell: boolean }

/**
 * How the product stands, in lines for a person: what waits in the database, how mails of the last day went, whether the mail server can be
 * used, the replica where there is one, and where METRICS_PORT is set, what the process at that port tells.
 */
export async function readStatus(
  db: Queryable,
  env: Pick<Env, 'DATABASE_READ_URL' | 'METRICS_HOST' | 'METRICS_PORT' | 'SMTP_URL'>,
  now: Date,
): Promise<Status> {
  const parts = await Promise.all([
    readFigures(db, now).then(judgeFigures, () => [DATABASE_SILENT]),
    describeDelivery(db, now).catch(() => []),
    env.SMTP_URL ? describeMailServer(env.SMTP_URL) : [],
    env.DATABASE_READ_URL ? describeReplica(env.DATABASE_READ_URL) : [],
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
