/**
 * The money of one subscription by the rules as people read them, from the acts alone. Written apart from the product: it imports nothing
 * of it. Amounts are cents.
 */
export type Life = {
  interval: 'month' | 'year'
  /** When the checkout was paid. */
  begins: Date
  /** 0 for none. */
  trialDays: number
  cents: number
  /** Off a month's price. @property months null for always */
  code: { percent: number | null; cents: number; months: number | null } | null
  /** Another price of the trader's. @property agreedAt null where the follower never answers; a lower one needs no answer */
  change: { at: Date; cents: number; agreedAt: Date | null; takenBackAt: Date | null } | null
  /** Nobody is charged meanwhile. */
  pause: { from: Date; to: Date } | null
  /** The product ends it then, and what is unused goes back. */
  ended: Date | null
  /** With the running period, or with the trial. */
  endPlanned: { at: Date; takenBackAt: Date | null } | null
  /** The first charge after this instant fails. */
  failing: { from: Date; forGood: boolean } | null
  /** Of the last payment before. @property part of it, up to 1 */
  refund: { at: Date; part: number } | null
  /** Of what is left of the last payment before. It ends the subscription. */
  dispute: { at: Date; decidedAt: Date; won: boolean } | null
  /** A second subscription, which is paid back. */
  double: { at: Date; cents: number } | null
}

export type Charge = { at: number; cents: number }

export type Money = {
  /** The charges, the first one first. @property at seconds since 1970 */
  charged: Charge[]
  refunded: number
  /** With banks by disputes that are open or lost. */
  withdrawn: number
  /** With the trader. */
  trader: number
  /** The price of the next renewal, before a code; null once nothing renews. */
  price: number | null
}

type Payment = {
  at: number
  cents: number
  from: number
  to: number
  refunded: number
  dispute: 'none' | 'lost' | 'won'
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOTICE = 30 * DAY
/** Between a payment that failed and the next try. */
const RETRY = 3 * DAY
const FEE_PERCENT = 10

/**
 * @param until what has happened by then, UTC
 * @param isOwedToTrader whether the trader, who cannot be paid, has not got back what a dispute that was won has taken from them
 */
export function expectedMoney(life: Life, until: Date, isOwedToTrader: boolean): Money {
  const payments = paymentsOf(life, until.getTime())
  if (happened(life.double?.at, until) && life.double) payments.push(doubleOf(life.double))
  payments.sort((one, other) => one.at - other.at)
  for (const back of returnsOf(life, until)) back(payments)
  return {
    charged: payments.map(({ at, cents }) => ({ at: at / 1000, cents })),
    refunded: sum(payments.map(({ refunded }) => refunded)),
    withdrawn: sum(
      payments.map(({ cents, dispute, refunded }) => (dispute === 'lost' ? cents - refunded : 0)),
    ),
    trader: sum(payments.map((one) => (one.dispute === 'won' && isOwedToTrader ? 0 : partOfTrader(one)))),
    price: overBy(life, until.getTime()) ? null : priceAt(life, until.getTime(), until.getTime()),
  }
}

/** Every payment is cut to the trader and to the platform; what goes back is cut alike. A dispute takes all, and one that is won gives it again. */
function partOfTrader({ cents, dispute, refunded }: Payment): number {
  const fee = halfUp(cents * FEE_PERCENT, 100)
  const left = cents - refunded
  if (dispute === 'lost') return 0
  if (dispute === 'won') return left - halfUp(fee * left, cents)
  return left - (fee - halfUp(fee * refunded, cents))
}

/** The first payment comes with the checkout, or an hour after a trial; renewals come an hour after their day. */
function paymentsOf(life: Life, until: number): Payment[] {
  const payments: Payment[] = []
  const anchor = life.begins.getTime() + life.trialDays * DAY
  for (let nth = 0; ; nth += 1) {
    const from = periodStart(life, anchor, nth)
    if (overBy(life, from) || from > until) return payments
    const isFailing =
      life.failing !== null && !isBefore(from, life.failing.from) && !hadFailed(life, anchor, nth)
    if (isFailing && life.failing?.forGood) return payments
    const isFirst = nth === 0 && life.trialDays === 0
    const asked = isFirst ? from : from + HOUR
    const at = isFailing ? asked + RETRY : asked
    const cents = discounted(life, priceAt(life, from, from), { from, hasPaid: payments.length > 0 })
    const isHeld = life.pause !== null && !isBefore(asked, life.pause.from) && isBefore(from, life.pause.to)
    if (cents === 0 || isHeld || overBy(life, asked) || at > until) continue
    payments.push({ at, cents, from, to: periodStart(life, anchor, nth + 1), refunded: 0, dispute: 'none' })
  }
}

/** Whether the payment that was to fail is one of the periods before. */
function hadFailed(life: Life, anchor: number, nth: number): boolean {
  return nth > 0 && life.failing !== null && !isBefore(periodStart(life, anchor, nth - 1), life.failing.from)
}

/** Whether nothing renews any more at an instant. */
function overBy(life: Life, at: number): boolean {
  const { dispute, ended, endPlanned } = life
  if (ended !== null && ended.getTime() <= at) return true
  if (dispute !== null && dispute.at.getTime() <= at) return true
  if (endPlanned === null || endPlanned.takenBackAt !== null) return false
  return endOfRunning(life, endPlanned.at.getTime()) <= at
}

function endOfRunning(life: Life, at: number): number {
  const anchor = life.begins.getTime() + life.trialDays * DAY
  for (let nth = 0; ; nth += 1) if (periodStart(life, anchor, nth) > at) return periodStart(life, anchor, nth)
}

/** A lower price is that of the next renewal; a higher one that of the first thirty days after its proposal, once it is agreed to. */
function priceAt(life: Life, renewal: number, at: number): number {
  const { cents, change } = life
  if (change === null || change.at.getTime() >= at) return cents
  if (change.cents < cents) return change.cents
  if (change.agreedAt === null || change.takenBackAt !== null) return cents
  const first = firstRenewal(life, Math.max(change.at.getTime() + NOTICE, change.agreedAt.getTime()))
  return renewal >= first ? change.cents : cents
}

function firstRenewal(life: Life, earliest: number): number {
  const anchor = life.begins.getTime() + life.trialDays * DAY
  for (let nth = 0; ; nth += 1)
    if (periodStart(life, anchor, nth) >= earliest) return periodStart(life, anchor, nth)
}

/** A code for the first month counts for the first payment; one for three months for those of three months from the checkout on. */
function discounted({ begins, code }: Life, cents: number, of: { from: number; hasPaid: boolean }): number {
  if (code === null || (code.months === 1 && of.hasPaid)) return cents
  if (code.months === 3 && of.from >= monthsAfter(begins.getTime(), 3)) return cents
  return Math.max(0, cents - (code.percent === null ? code.cents : halfUp(cents * code.percent, 100)))
}

/** The acts by which money goes back, in their order. */
function returnsOf(life: Life, until: Date): ((payments: Payment[]) => void)[] {
  const { dispute, ended, refund } = life
  const acts: { at: Date; back: (payments: Payment[]) => void }[] = []
  if (refund) acts.push({ at: refund.at, back: (all) => refundPart(lastBefore(all, refund.at), refund.part) })
  if (ended) acts.push({ at: ended, back: (all) => refundUnused(lastBefore(all, ended), ended) })
  if (dispute) {
    const outcome = dispute.won && dispute.decidedAt <= until ? 'won' : 'lost'
    acts.push({ at: dispute.at, back: (all) => settle(lastBefore(all, dispute.at), outcome) })
  }
  return acts
    .filter(({ at }) => at <= until)
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ back }) => back)
}

function lastBefore(payments: Payment[], at: Date): Payment | undefined {
  return payments.filter((one) => one.at <= at.getTime() && one.to > one.from).at(-1)
}

function refundPart(payment: Payment | undefined, part: number): void {
  if (payment) payment.refunded += refundedCents(payment.cents, part)
}

/** Cents of a refund of a part of a payment; one whole for 1. */
export function refundedCents(cents: number, part: number): number {
  return part === 1 ? cents : Math.max(1, Math.floor(cents * part))
}

/** For the whole seconds that are left of the period, rounded up for the follower. */
function refundUnused(payment: Payment | undefined, end: Date): void {
  if (!payment) return
  const [from, to, at] = [payment.from, payment.to, end.getTime()].map((time) => Math.floor(time / 1000))
  if (from === undefined || to === undefined || at === undefined || at >= to) return
  const unused = Math.ceil((payment.cents * (to - at)) / (to - from))
  payment.refunded = Math.min(
    payment.cents,
    payment.refunded + Math.min(unused, payment.cents - payment.refunded),
  )
}

function settle(payment: Payment | undefined, outcome: 'lost' | 'won'): void {
  if (payment) payment.dispute = outcome
}

/** No period, so that no other act is about it. */
function doubleOf({ at, cents }: { at: Date; cents: number }): Payment {
  return { at: at.getTime(), cents, from: 0, to: 0, refunded: cents, dispute: 'none' }
}

/** When its periods begin, the first one aside unless it follows a trial. @returns milliseconds since 1970 */
export function renewalsOf(life: Pick<Life, 'interval' | 'begins' | 'trialDays'>, count: number): number[] {
  const anchor = life.begins.getTime() + life.trialDays * DAY
  const starts = Array.from({ length: count }, (_, nth) => periodStart(life, anchor, nth))
  return life.trialDays === 0 ? starts.slice(1) : starts
}

function periodStart({ interval }: Pick<Life, 'interval'>, anchor: number, nth: number): number {
  return monthsAfter(anchor, interval === 'year' ? nth * 12 : nth)
}

/** The same day so many months later, or the last one of a shorter month; by whole seconds, as Stripe counts. */
function monthsAfter(at: number, months: number): number {
  const from = new Date(Math.floor(at / 1000) * 1000)
  const later = new Date(from)
  later.setUTCDate(1)
  later.setUTCMonth(later.getUTCMonth() + months)
  const last = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate()
  later.setUTCDate(Math.min(from.getUTCDate(), last))
  return later.getTime()
}

/** A share in whole numbers, half of one up. */
const halfUp = (part: number, whole: number) => Math.floor((2 * part + whole) / (2 * whole))
const isBefore = (at: number, other: Date) => at < other.getTime()
const happened = (at: Date | undefined, until: Date) => at !== undefined && at <= until
const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)
