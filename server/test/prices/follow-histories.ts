/**
 * Random histories of people who follow traders, counted by hand while they happen: an act after the other, with what each position cost
 * each follower first. The rows of the product are written in one go (`insertHistories`).
 */
import Big from 'big.js'
import fc from 'fast-check'
import { newId } from '../../src/platform/ids.ts'

/** Where time begins; acts follow by hours. */
export const BEGINNING = Date.parse('2026-03-02T15:00:00.000Z')
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const TRADERS = 3
const FOLLOWERS = 2
const SYMBOLS = 3

const KINDS = ['open', 'close', 'settle', 'split', 'correct', 'strike', 'follow', 'pause', 'cancel'] as const
const act = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('open', 'close', 'follow') },
    { weight: 4, arbitrary: fc.constantFrom(...KINDS) },
  ),
  trader: fc.nat(TRADERS - 1),
  follower: fc.nat(FOLLOWERS - 1),
  symbol: fc.nat(SYMBOLS - 1),
  hours: fc.integer({ min: 1, max: 30 }),
  price: fc.integer({ min: 40_000_001, max: 160_000_000 }),
  odd: fc.boolean(),
  rare: fc.nat(3),
})
export type Act = typeof act extends fc.Arbitrary<infer One> ? One : never

/** `legacy`: nobody noted prices. */
export const history = fc.record({
  acts: fc.array(act, { minLength: 20, maxLength: 60 }),
  legacy: fc.boolean(),
})
export type History = typeof history extends fc.Arbitrary<infer One> ? One : never

type Base = {
  price: Big | null
  day: string
  from: 'opening' | 'quote' | 'close' | 'opening before'
  nth: number
}

export type MadePosition = {
  id: string
  trader: number
  symbol: string
  openedAt: number
  openPrice: Big
  closedAt: number | null
  closePrice: Big | null
  unsettled: boolean
  settledAt: number | null
  struck: boolean
  /** By follower. */
  bases: Map<number, Base>
  told: Set<number>
}

export type MadeSubscription = {
  id: string
  trader: number
  follower: number
  status: 'active' | 'paused' | 'canceled'
  from: number
  until: number | null
  earlier: string[]
  startedAt: number
}

export type Made = {
  traderIds: string[]
  followerIds: string[]
  lastEvent: number[]
  positions: MadePosition[]
  subscriptions: MadeSubscription[]
  events: { trader: number; no: number; positionId: string; kind: string; at: number }[]
  splits: {
    position: MadePosition
    day: string
    newShares: number
    eventNo: number
    before: Big
    after: Big
    at: number
  }[]
  notes: {
    trader: number
    follower: number
    positionId: string
    symbol: string
    price: string | null
    at: number
  }[]
  retractions: { symbol: string; from: number; to: number; price: string }[]
  closes: { symbol: string; day: string; close: string }[]
  now: number
}

export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
/** Prices in US dollars have six places. */
const priced = (millionths: number) => new Big(millionths).div(1_000_000)

let histories = 0

/** Lets a history happen. */
export function makeHistory({ acts, legacy }: History): Made {
  histories += 1
  const made: Made = {
    traderIds: Array.from({ length: TRADERS }, newId),
    followerIds: Array.from({ length: FOLLOWERS }, newId),
    lastEvent: Array.from({ length: TRADERS }, () => 0),
    positions: [],
    subscriptions: [],
    events: [],
    splits: [],
    notes: [],
    retractions: [],
    closes: [],
    now: BEGINNING,
  }
  const prefix = `H${histories.toString(36).toUpperCase()}.`
  for (const one of acts) {
    made.now += one.hours * HOUR_MS + MINUTE_MS
    DOES[one.kind](made, { ...one, name: `${prefix}${one.symbol}`, legacy })
    if (one.rare === 0) close(made, `${prefix}${one.symbol}`, one.price)
  }
  return made
}

type Doing = Act & { name: string; legacy: boolean }

/** Of the day of the act; one of the day is known. */
function close({ closes, now }: Made, symbol: string, price: number): void {
  const day = dayOf(now)
  if (closes.some((one) => one.symbol === symbol && one.day === day)) return
  closes.push({ symbol, day, close: priced(price + 7).toFixed() })
}

const isOpen = ({ closedAt, struck }: MadePosition) => closedAt === null && !struck

function publish(made: Made, position: Pick<MadePosition, 'id' | 'trader'>, kind: string): number {
  const no = (made.lastEvent[position.trader] ?? 0) + 1
  made.lastEvent[position.trader] = no
  made.events.push({ trader: position.trader, no, positionId: position.id, kind, at: made.now })
  return no
}

/** Followers who hear of a trader now. */
const listeners = (made: Made, trader: number) =>
  made.subscriptions
    .filter((one) => one.trader === trader && one.status === 'active')
    .map(({ follower }) => follower)

const DOES: Record<(typeof KINDS)[number], (made: Made, doing: Doing) => void> = {
  open(made, { name, price, trader }) {
    // The database knows one active position a symbol, struck or not.
    if (made.positions.some((one) => one.trader === trader && one.symbol === name && one.closedAt === null))
      return
    const position: MadePosition = {
      id: newId(),
      trader,
      symbol: name,
      openedAt: made.now,
      openPrice: priced(price),
      closedAt: null,
      closePrice: null,
      unsettled: false,
      settledAt: null,
      struck: false,
      bases: new Map(),
      told: new Set(),
    }
    made.positions.push(position)
    publish(made, position, 'opened')
    for (const follower of listeners(made, trader))
      position.bases.set(follower, { price: null, day: dayOf(made.now), from: 'opening', nth: -1 })
  },
  close(made, { odd, price, rare, trader }) {
    const position = made.positions.find((one) => one.trader === trader && one.closedAt === null)
    if (!position) return
    position.closedAt = made.now
    position.closePrice = priced(price)
    position.unsettled = odd && rare === 1
    publish(made, position, 'closed')
    for (const follower of listeners(made, trader)) position.told.add(follower)
  },
  settle(made, { price }) {
    const position = made.positions.find(({ unsettled }) => unsettled)
    if (!position) return
    position.unsettled = false
    position.settledAt = made.now
    position.closePrice = priced(price)
    publish(made, position, 'settled')
  },
  // Said on its day, before anything else happens to its positions.
  split(made, { name, rare }) {
    made.now = Date.parse(dayOf(made.now)) + 24 * HOUR_MS + MINUTE_MS
    const newShares = rare + 2
    const ended = ({ closedAt, settledAt, unsettled }: MadePosition) =>
      closedAt !== null && (settledAt !== null || !unsettled)
    for (const position of made.positions.filter((one) => one.symbol === name && !ended(one))) {
      made.now += MINUTE_MS
      const before = position.openPrice
      const split = (price: Big) => price.div(newShares).round(6, Big.roundHalfUp)
      position.openPrice = split(before)
      if (position.closePrice) position.closePrice = split(position.closePrice)
      for (const base of position.bases.values()) if (base.price) base.price = split(base.price)
      const eventNo = publish(made, position, 'adjusted')
      const facts = { position, day: dayOf(made.now), newShares, eventNo, at: made.now }
      made.splits.push({ ...facts, before, after: position.openPrice })
    }
  },
  correct(made, { odd, price, trader }) {
    const position = made.positions.find((one) => one.trader === trader && (odd || one.closedAt !== null))
    if (!position) return
    if (odd) position.openPrice = priced(price)
    else position.closePrice = priced(price)
    publish(made, position, 'adjusted')
  },
  strike(made, { rare, trader }) {
    const position = made.positions.findLast((one) => one.trader === trader)
    if (!position || rare > 0) return
    position.struck = true
    publish(made, position, 'adjusted')
  },
  follow(made, doing) {
    const { follower, trader } = doing
    const last = made.lastEvent[trader] ?? 0
    const row = made.subscriptions.find(
      (one) => one.trader === trader && one.follower === follower && one.status !== 'canceled',
    )
    if (row?.status === 'active') return
    if (row) {
      row.earlier.push(`(${row.from},${row.until}]`)
      Object.assign(row, { status: 'active', from: last, until: null })
    } else {
      const facts = { trader, follower, from: last, until: null, earlier: [], startedAt: made.now }
      made.subscriptions.push({ id: newId(), status: 'active', ...facts })
    }
    const startedAt = row?.startedAt ?? made.now
    for (const position of made.positions.filter((one) => one.trader === trader && isOpen(one)))
      if (!position.bases.has(follower)) begin(made, position, doing, { last, startedAt })
  },
  pause: (made, doing) => leave(made, doing, 'paused'),
  cancel: (made, doing) => leave(made, doing, 'canceled'),
}

/** Notes the price of a position for somebody who begins to follow while it is held. */
function begin(
  made: Made,
  position: MadePosition,
  { follower, legacy, odd, price, rare, trader }: Doing,
  { last, startedAt }: { last: number; startedAt: number },
): void {
  const isQuoted = !legacy && rare !== 2
  const note = { trader, follower, positionId: position.id, symbol: position.symbol, at: made.now }
  if (isQuoted) {
    const isGlitch = odd && rare === 1
    made.notes.push({ ...note, price: priced(isGlitch ? price * 3 : price).toFixed() })
    if (isGlitch) {
      const around = { from: made.now - MINUTE_MS / 2, to: made.now + MINUTE_MS / 2 }
      made.retractions.push({ symbol: position.symbol, ...around, price: priced(price).toFixed() })
    }
    position.bases.set(follower, { price: priced(price), day: dayOf(made.now), from: 'quote', nth: last })
    return
  }
  if (!legacy) made.notes.push({ ...note, price: null })
  const lastAt = made.events.find((one) => one.trader === trader && one.no === last)?.at ?? 0
  const until = dayOf(Math.max(legacy ? startedAt : made.now, lastAt))
  const known = made.closes
    .filter(({ day, symbol }) => symbol === position.symbol && day >= dayOf(position.openedAt) && day < until)
    .toSorted((one, other) => (one.day < other.day ? 1 : -1))[0]
  // A close that was known before a split is in the shares of its day.
  const since = made.splits.filter((one) => one.position === position && known && one.day > known.day)
  const inSharesOfNow = (close: string) =>
    since.reduce((value, { newShares }) => value.div(newShares).round(6, Big.roundHalfUp), new Big(close))
  position.bases.set(
    follower,
    known
      ? { price: inSharesOfNow(known.close), day: known.day, from: 'close', nth: last }
      : { price: null, day: dayOf(position.openedAt), from: 'opening before', nth: last },
  )
}

function leave(made: Made, { follower, legacy, trader }: Doing, status: 'paused' | 'canceled'): void {
  const row = made.subscriptions.find(
    (one) => one.trader === trader && one.follower === follower && one.status !== 'canceled',
  )
  if (!row || row.status === status) return
  const last = made.lastEvent[trader] ?? 0
  const from = row.until === null ? row.from : null
  row.until ??= last
  row.status = status
  // Where nobody noted a price, nothing is left of a time in which nothing was published.
  if (legacy && from === last)
    for (const position of made.positions)
      if (position.trader === trader && position.bases.get(follower)?.nth === last)
        position.bases.delete(follower)
}
