/**
 * The price provider as the product knows it. An adapter (`adapters/`) alone knows a wire. The adapter decides whose fault a failure is,
 * since that decides who feels it (ADR 0081): one of the provider is everybody's, an odd answer is its symbol's alone.
 */
import { setTimeout as pause } from 'node:timers/promises'

/**
 * A price as quoted: decimal text in US dollars, six places at most, and the instant of its last trade; high and low of its day where the
 * provider sends them.
 */
export type Quote = { price: string; at: Date; high: string | null; low: string | null }

/** The provider's answer about a symbol. */
export type ProviderAnswer = Quote | 'unknown symbol'

/** `day` as `2026-11-18`, of the session in UTC; `close` as decimal text in US dollars. */
export type DailyClose = { day: string; close: string }

/**
 * A share or fund of the provider's list. `symbol` as `normaliseSymbol` returns it: a class of shares has a dot. `name` as the provider
 * writes it. `figi`: identifies the share, whatever its ticker. Null where the provider sends none.
 */
export type Listing = { symbol: string; name: string | null; figi: string | null }

/** First and last day, as `2026-11-18`. */
export type Span = { from: string; until: string }

/**
 * One call each, without a retry, until the signal.
 * @throws `ProviderFault`, `OddAnswer`; their messages are written in the product and quote nothing that was received
 */
export type PriceProvider = {
  /** @param symbol a ticker as `normaliseSymbol` returns it; a quote from the future counts as of now */
  quote(symbol: string, signal: AbortSignal): Promise<ProviderAnswer>
  /**
   * @param span of a year at most, the answer's size is limited
   * @returns `no past` where the key may not ask for it; days without a session are not among the closes
   */
  closes(symbol: string, span: Span, signal: AbortSignal): Promise<DailyClose[] | 'no past'>
  /**
   * Every share and fund that is listed at exchanges in the US now.
   * @returns `no list` where the provider has none, or the key may not ask for it
   */
  directory(signal: AbortSignal): Promise<Listing[] | 'no list'>
  /** The company's name, as the provider writes it, of a ticker that no list holds; null where it has none. */
  name(symbol: string, signal: AbortSignal): Promise<string | null>
}

/** A fault of the provider itself: no connection, no answer in time, a status of 5xx, a key or a number of calls that it refuses. */
export class ProviderFault extends Error {
  /** Asking again at once may help. */
  readonly passing: boolean
  /** True: nobody is answered, for any symbol. False: the failure may be of one symbol alone. */
  readonly everybodys: boolean

  constructor(message: string, { everybodys, passing }: { passing: boolean; everybodys: boolean }) {
    super(message)
    this.everybodys = everybodys
    this.passing = passing
  }
}

/** An answer that is none, of a provider that answers. */
export class OddAnswer extends Error {}

/** A call must be answered in 5 s whatever the provider does. */
const DEADLINE_MS = 5000
const BACK_OFF_MS = 150

/**
 * Asks, and once more after a short pause where that may help.
 * @param ask one call to the provider
 * @param deadlineMs for both tries together
 */
export async function askTwice<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  deadlineMs: number = DEADLINE_MS,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    return await ask(deadline)
  } catch (error) {
    if (!(error instanceof ProviderFault && error.passing) || deadline.aborted) throw error
    await pause(BACK_OFF_MS * (1 + Math.random()))
    return ask(deadline)
  }
}
