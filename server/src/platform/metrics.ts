/**
 * Metrics of this process (ADR 0065). One registry a process, as there is one log: code that counts imports the
 * function that does it. A label holds words of the code alone, never an address, a name, a token or an id.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

const registry = new Registry()
const registers = [registry]

/** All metrics of this process, as Prometheus reads them. */
export function processRegistry(): Registry {
  return registry
}

const requests = new Histogram({
  name: 'tradepost_http_request_seconds',
  help: 'From the head of a request to the end of its answer, by route pattern and status; open streams are left out. Of this process.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers,
})

/** @param request.route the pattern that was matched, not the address that was asked */
export function countRequest(
  request: { method: string; route: string; status: number },
  seconds: number,
): void {
  requests.observe(request, seconds)
}

/**
 * By kind, `signal`: mails of events to followers, `single`: everything else. `lost`: the connection broke, and the mail is tried again.
 * `deferred`: the server wants another try. `refused`: it answered no, or the address cannot be written. `failed`: its content or secrets could
 * not be made, and it did not come to the server.
 */
const MAIL_OUTCOMES = {
  signal: ['sent', 'deferred', 'refused', 'lost'],
  single: ['sent', 'deferred', 'refused', 'lost', 'failed'],
} as const
export type MailKind = keyof typeof MAIL_OUTCOMES
export type MailOutcome<Kind extends MailKind = MailKind> = (typeof MAIL_OUTCOMES)[Kind][number]

const mails = new Counter({
  name: 'tradepost_mails_total',
  help: 'Tries at mails, by what became of them. Of this process.',
  labelNames: ['kind', 'outcome'],
  registers,
})
/** One object for each series: finding it by its labels took a hundredth of the time of a fan-out. */
const mailCounters = new Map(
  Object.entries(MAIL_OUTCOMES).flatMap(([kind, outcomes]) =>
    outcomes.map((outcome) => [`${kind} ${outcome}`, mails.labels({ kind, outcome })] as const),
  ),
)
// A series that is there from the start shows its first change.
for (const counter of mailCounters.values()) counter.inc(0)

export function countMail<Kind extends MailKind>(kind: Kind, outcome: MailOutcome<Kind>): void {
  mailCounters.get(`${kind} ${outcome}`)?.inc()
}

const eventToLastMail = new Histogram({
  name: 'tradepost_event_to_last_mail_seconds',
  help: 'From publishing to the moment at which the last follower of an event was mailed or has a retry of their own. Of the events that this process ended.',
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
  registers,
})

export function noteEventMailed(seconds: number): void {
  eventToLastMail.observe(seconds)
}

const PUSH_OUTCOMES = ['sent', 'gone', 'later', 'refused', 'given up', 'unneeded'] as const
export type PushOutcome = (typeof PUSH_OUTCOMES)[number]

const pushes = new Counter({
  name: 'tradepost_pushes_total',
  help: 'Tries at notifications to devices, by what became of them. Of this process.',
  labelNames: ['outcome'],
  registers,
})
for (const outcome of PUSH_OUTCOMES) pushes.inc({ outcome }, 0)

export function countPush(outcome: PushOutcome): void {
  pushes.inc({ outcome })
}

const streams = new Gauge({
  name: 'tradepost_streams_open',
  help: 'Live feeds that are open. Of this process.',
  registers,
})

/** @param change 1 for a stream that opens, -1 for one that is over */
export function countStream(change: 1 | -1): void {
  streams.inc(change)
}

const sweepFaults = new Counter({
  name: 'tradepost_sweep_faults_total',
  help: 'Sweeps and purges that failed, by name; each has its next turn. Of this process.',
  labelNames: ['sweep'],
  registers,
})

/** Shows each sweep from the start, with no fault: each process has a series of its own, and its first change has to be visible. */
export function showSweeps(sweeps: readonly { name: string }[]): void {
  for (const { name } of sweeps) sweepFaults.inc({ sweep: name }, 0)
}

export function countSweepFault(sweep: string): void {
  sweepFaults.inc({ sweep })
}

/** External services that the process calls, other than by mail. */
const PROVIDERS = ['market', 'payments'] as const
export type Provider = (typeof PROVIDERS)[number]
/** `refused`: it understood and answered no. `failed`: a fault of its own, or no connection. `timeout`: no answer in time. */
const CALL_OUTCOMES = ['ok', 'refused', 'failed', 'timeout'] as const
export type CallOutcome = (typeof CALL_OUTCOMES)[number]

const calls = new Histogram({
  name: 'tradepost_provider_call_seconds',
  help: 'Calls to the price provider and to Stripe, each try by itself, until the head of the answer. Of this process.',
  labelNames: ['provider', 'outcome'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers,
})
for (const provider of PROVIDERS) for (const outcome of CALL_OUTCOMES) calls.zero({ provider, outcome })

/**
 * Times one try of a call.
 * @param judge classifies the answer, or else the error
 */
export async function timeCall<Answer>(
  provider: Provider,
  call: () => Promise<Answer>,
  judge: (answer: Answer | null, error: unknown) => CallOutcome,
): Promise<Answer> {
  const begun = performance.now()
  const note = (outcome: CallOutcome) => {
    calls.observe({ provider, outcome }, (performance.now() - begun) / 1000)
  }
  try {
    const answer = await call()
    note(judge(answer, null))
    return answer
  } catch (error) {
    note(judge(null, error))
    throw error
  }
}

const replica = new Gauge({
  name: 'tradepost_replica_used',
  help: 'Whether reads of what others did go to the replica: 1 or 0, absent without DATABASE_READ_URL. Of this process.',
  registers,
})
replica.remove()

export function noteReplica(isUsed: boolean): void {
  replica.set(isUsed ? 1 : 0)
}
