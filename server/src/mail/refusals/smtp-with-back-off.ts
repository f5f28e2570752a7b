import type { Clock } from '../../platform/clock.ts'
import { backOff } from '../../work/back-off.ts'
import type { PipeliningTrust } from '../smtp/pipelining-trust.ts'
import { connectSmtp, type SmtpConnection } from '../smtp/smtp-connection.ts'
import { SmtpLost } from '../smtp/smtp-outcome.ts'

/** The longest is short enough that the first mail after an outage leaves within five seconds. */
const PAUSES = { firstMs: 250, longestMs: 4000 }

/** An SMTP connection that is opened when it is needed. After failures it is opened again with growing pauses. */
export type SmtpWithBackOff = {
  /** The connection that is open, where it can take a mail to this address; null where there is none. */
  ready(to: string): SmtpConnection | null
  /**
   * @param to the recipient of the mail: a connection on which the server waits for another recipient's mail is closed
   * @throws SmtpLost when there is none to be had
   */
  connection(to: string): Promise<SmtpConnection>
  /** The mail server does its work: the next failure is again a first one. @param took whether it has taken a mail */
  worked(took: boolean): void
  /** Mails that it has taken over the connection that is open. */
  readonly taken: number
  /** Something failed. @returns failures in a row */
  failed(): number
  /** Milliseconds until the next attempt makes sense. */
  pause(): number
  readonly open: boolean
  close(): void
  /** Closes it for good: later requests for a connection are refused. */
  abandon(): void
}

export function connectWithBackOff(deps: {
  smtpUrl: string
  clock: Clock
  trust: PipeliningTrust
}): SmtpWithBackOff {
  let connection: SmtpConnection | null = null
  let attempt = new AbortController()
  let abandoned = false
  let failures = 0
  let taken = 0
  let notBefore = 0
  const close = () => {
    attempt.abort()
    connection?.close()
    connection = null
    taken = 0
  }
  const ready = (to: string) => (connection?.open && (connection.promised ?? to) === to ? connection : null)
  return {
    ready,
    async connection(to) {
      const open = ready(to)
      if (open) return open
      connection?.close()
      if (abandoned) throw new SmtpLost('the worker stops')
      attempt = new AbortController()
      taken = 0
      connection = await connectSmtp(deps.smtpUrl, { up: attempt.signal, trust: deps.trust })
      return connection
    },
    worked(took) {
      failures = 0
      if (took) taken += 1
    },
    get taken() {
      return taken
    },
    failed() {
      close()
      failures += 1
      notBefore = deps.clock.now().getTime() + backOff(PAUSES, failures) * (0.5 + Math.random() / 2)
      return failures
    },
    pause: () => (failures === 0 ? 0 : Math.max(0, notBefore - deps.clock.now().getTime())),
    get open() {
      return connection?.open ?? false
    },
    close,
    abandon() {
      abandoned = true
      close()
    },
  }
}
