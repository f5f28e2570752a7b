import { describeMonth, reachedLimits } from '../billing/warnings/card-month.ts'
import type { FigureName, Figures, Waiting } from './figures.ts'

type Limit = { figure: FigureName; value: 'count' | 'oldestSeconds'; above: number; alarm: string }

/** Limits above which a figure needs a look; a test holds them to deploy/alarms.yml, whose sections of the runbook name what to do. */
export const LIMITS: readonly Limit[] = [
  { figure: 'job', value: 'oldestSeconds', above: 300, alarm: 'TradepostJobsWait' },
  { figure: 'lost job', value: 'count', above: 0, alarm: 'TradepostJobsGivenUp' },
  { figure: 'event', value: 'oldestSeconds', above: 60, alarm: 'TradepostEventsWait' },
  { figure: 'lost event', value: 'count', above: 0, alarm: 'TradepostEventsGivenUp' },
  { figure: 'signal mail', value: 'oldestSeconds', above: 600, alarm: 'TradepostMailsWait' },
  { figure: 'single mail', value: 'oldestSeconds', above: 120, alarm: 'TradepostSingleMailsWait' },
  { figure: 'push', value: 'oldestSeconds', above: 300, alarm: 'TradepostPushesWait' },
  { figure: 'webhook', value: 'oldestSeconds', above: 600, alarm: 'TradepostWebhooksWait' },
  { figure: 'record', value: 'oldestSeconds', above: 1800, alarm: 'TradepostRecordUnsigned' },
]

/** One line of the status: what is looked at, how it stands, and which alarm it is worth, or null. */
export type Finding = { what: string; stands: string; alarm: string | null }

const WORDS: Readonly<Record<Exclude<FigureName, 'worker' | `card ${string}`>, string>> = {
  job: 'Jobs',
  'lost job': 'Jobs given up',
  event: 'Events to be read by',
  'lost event': 'Events given up by',
  'signal mail': 'Mails of events',
  'single mail': 'Single mails:',
  push: 'Notifications to devices',
  webhook: 'Webhooks of Stripe',
  record: 'Record',
}

/** Describes how each figure stands, and whether somebody has to look. */
export function judgeFigures(figures: Figures): Finding[] {
  const lives = (figures.get('worker')?.[0]?.count ?? 0) > 0
  const worker = {
    what: 'Worker',
    stands: lives ? 'lives' : 'none lives: no mails, no payments',
    alarm: lives ? null : 'TradepostNoWorker',
  }
  const others = LIMITS.flatMap((limit) =>
    (figures.get(limit.figure) ?? []).map((waiting) => judge(limit, waiting)),
  )
  return [worker, ...others, ...judgeCards(figures)]
}

function judgeCards(figures: Figures): Finding[] {
  const count = (name: FigureName) => figures.get(name)?.[0]?.count
  const payments = count('card payment')
  if (payments === undefined) return []
  const month = { warnings: count('card warning') ?? 0, disputes: count('card dispute') ?? 0, payments }
  const alarm = reachedLimits(month)[0]?.alarm ?? null
  return [{ what: 'Warnings and disputes', stands: describeMonth(month), alarm }]
}

function judge({ figure, value, above, alarm }: Limit, waiting: Waiting): Finding {
  const words = WORDS[figure as keyof typeof WORDS]
  return {
    what: waiting.label ? `${words} ${waiting.label}` : words,
    stands: figure === 'record' ? describeRecord(waiting) : describe(waiting, value),
    alarm: waiting[value] > above ? alarm : null,
  }
}

function describe({ count, oldestSeconds }: Waiting, value: Limit['value']): string {
  if (count === 0) return value === 'count' ? 'none' : 'nothing waits'
  const number = count.toLocaleString('en-US')
  if (value === 'count') return number
  return `${number} ${count === 1 ? 'waits' : 'wait'}, the oldest for ${formatSpan(oldestSeconds)}`
}

function describeRecord({ count, oldestSeconds }: Waiting): string {
  return `${count.toLocaleString('en-US')} entries, signed ${formatSpan(oldestSeconds)} ago`
}

/** @param seconds a span, printed in its largest unit that is exact enough */
function formatSpan(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600).toLocaleString('en-US')} h`
}
