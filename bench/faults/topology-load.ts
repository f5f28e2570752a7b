/**
 * Requests of people to several api at a steady rate: followers look, traders check a price, open and close, newcomers sign in. A request
 * that is not answered with success is a failure, and so is a list that lacks what was answered a moment before.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { endpoints } from '../../contract/src/endpoints.ts'
import type { CountingSink } from '../../server/test/mails/counting-sink.ts'
import type { QuoteServer } from '../../server/test/prices/quote-server.ts'
import type { Viewer } from '../feeds/world.ts'

/** One request in so many is a trader's; half of those write, and half look whether it is there. */
const TRADES_ONE_IN = 10
const SIGN_IN_EVERY_MS = 5000
const MAIL_WITHIN_MS = 20_000
const REASON = 'For a reason that is long enough.'
/**
 * The reads of a look at a follower’s screen, and whether a replica answers each: a kept answer asks no database until something happens
 * (ADR 0101).
 */
const LOOKS: [path: string, isOfOthers: boolean][] = [
  ['/v1/positions', true],
  ['/v1/accounts/configuration', false],
  ['/v1/leaderboard', false],
  ['/v1/accounts/profile?username=maria', false],
  ['/v1/accounts/search?username=maria', false],
  ['/v1/subscriptions', false],
  ['/v1/activity', false],
  ['/v1/activity/unread', false],
  ['/v1/traders/maria/positions/closed', false],
  ['/v1/accounts/suggestions?username=mar', true],
]

export type TradingTrader = { viewer: Viewer; followers: Viewer[]; place: number }

export type Course = {
  /** Of the balancer. */
  url: string
  over: boolean
  /** The process that is restarted; null in between. */
  restarting: 'api' | 'worker' | null
  /** Requests, and those of them that a replica may answer. */
  asked: number
  ofOthers: number
  failed: Map<string, number>
  times: number[]
  opened: number
  closed: number
  /** Addresses that asked for a code. */
  newcomers: string[]
}

export function newCourse(url: string): Course {
  const counts = { asked: 0, ofOthers: 0, opened: 0, closed: 0 }
  return { url, over: false, restarting: null, failed: new Map(), times: [], newcomers: [], ...counts }
}

/** Resolves when the course is over and everything that was asked is answered. */
export async function keepAsking(
  course: Course,
  world: { viewers: Viewer[]; traders: TradingTrader[]; quotes: QuoteServer; perSecond: number },
): Promise<void> {
  const idle = world.traders.map((trader) => trade(course, trader, world.quotes))
  const underway = new Set<Promise<unknown>>()
  const start = (work: Promise<unknown>) => {
    const one = work.finally(() => underway.delete(one))
    underway.add(one)
  }
  const began = performance.now()
  for (let nth = 0; !course.over; ) {
    const due = ((performance.now() - began) / 1000) * world.perSecond
    for (; nth < due; nth += 1) {
      const trader = nth % TRADES_ONE_IN === 0 ? idle.shift() : undefined
      if (trader) start(trader.next().then(() => idle.push(trader)))
      else start(look(course, world.viewers, nth))
    }
    await pause(5)
  }
  await Promise.all(underway)
}

async function look(course: Course, viewers: Viewer[], nth: number): Promise<void> {
  const [path, isOfOthers] = LOOKS[randomInt(LOOKS.length)] ?? LOOKS[0] ?? ['', false]
  const viewer = viewers[nth % viewers.length]
  await ask(course, { path, token: viewer?.token, isOfOthers })
}

/** Checks a price, opens, and closes again, over and over; each step is one request. */
async function* trade(course: Course, trader: TradingTrader, quotes: QuoteServer): AsyncGenerator<void> {
  const { place, viewer } = trader
  for (let number = 0; ; number += 1) {
    const symbol = `T${place}N${number}`
    quotes.set(symbol, { price: randomInt(100, 110), at: new Date() })
    const opening = await previewed(course, viewer, symbol)
    yield
    if (!opening || !(await openPosition(course, viewer, symbol, opening))) continue
    yield* looksAt(course, trader, symbol, true)
    quotes.set(symbol, { price: randomInt(100, 110), at: new Date() })
    const closing = await previewed(course, viewer, symbol)
    yield
    if (!closing) continue
    const body = { symbol, key: closing, closeNotes: REASON }
    if (!(await ask(course, { path: endpoints.closePosition.path, token: viewer.token, body }))) continue
    course.closed += 1
    yield* looksAt(course, trader, symbol, false)
  }
}

/** @returns the key of a price; empty where it failed */
async function previewed(course: Course, { token }: Viewer, symbol: string): Promise<string> {
  const answer = await ask(course, { path: endpoints.preview.path, token, body: { symbol } })
  return String(answer?.key ?? '')
}

async function openPosition(course: Course, { token }: Viewer, symbol: string, key: string) {
  const body = { symbol, key, openNotes: REASON, positionLength: 'one_to_three_weeks' }
  const answer = await ask(course, { path: endpoints.openPosition.path, token, body })
  if (answer) course.opened += 1
  return answer
}

/** A trader without a process of their own: checks a price and opens. */
export async function openOnce(course: Course, trader: Viewer, symbol: string, quotes: QuoteServer) {
  quotes.set(symbol, { price: randomInt(100, 110), at: new Date() })
  const key = await previewed(course, trader, symbol)
  if (key) await openPosition(course, trader, symbol, key)
}

/** An answered order shows in the trader's next list and in a follower's, whichever process and server answers (ADR 0064). */
async function* looksAt(course: Course, trader: TradingTrader, symbol: string, isOpen: boolean) {
  for (const [whose, viewer] of [
    ['own', trader.viewer],
    ['a follower’s', trader.followers[randomInt(trader.followers.length)]],
  ] as const) {
    yield
    const isOfOthers = viewer !== trader.viewer
    const list = await ask(course, { path: endpoints.positions.path, token: viewer?.token, isOfOthers })
    const { positions } = (list ?? { positions: null }) as { positions: { stock: string }[] | null }
    const isListed = positions?.some(({ stock }) => stock === symbol)
    if (positions && isListed !== isOpen)
      fail(course, `${whose} list ${isOpen ? 'lacks what was opened' : 'has what was closed'}`)
  }
  yield
}

type Asked = { path: string; token?: string | undefined; body?: object; isOfOthers?: boolean }

/** @returns null when it failed */
async function ask(
  course: Course,
  { path, token, body, isOfOthers }: Asked,
): Promise<Record<string, unknown> | null> {
  course.asked += 1
  if (isOfOthers) course.ofOthers += 1
  const began = performance.now()
  try {
    const answer = await fetch(course.url + path, {
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const json = (await answer.json()) as Record<string, unknown>
    if (answer.ok) return json
    fail(course, `${path} ${answer.status} ${json.code}`)
  } catch (error) {
    const { cause, message } = error as Error
    fail(course, `${path} ${(cause as Error | undefined)?.message ?? message}`)
  } finally {
    course.times.push(performance.now() - began)
  }
  return null
}

function fail(course: Course, what: string): void {
  const when = `${what}, while ${course.restarting ?? 'nothing'} was restarted`
  course.failed.set(when, (course.failed.get(when) ?? 0) + 1)
}

/** Somebody new every few seconds: asks for a code, reads it in the mail, signs in with it and looks at the account. */
export async function keepSigningIn(course: Course, sink: CountingSink): Promise<void> {
  const codes = new Map<string, string>()
  sink.script = {
    message({ recipient, raw }) {
      const [, code] = /^subject: (\d{6})/im.exec(raw) ?? []
      if (code) codes.set(recipient, code)
      return null
    },
  }
  while (!course.over) {
    const next = performance.now() + SIGN_IN_EVERY_MS
    await signIn(course, `new${course.newcomers.length}@newcomers.example`, codes)
    while (!course.over && performance.now() < next) await pause(100)
  }
}

async function signIn(course: Course, email: string, codes: Map<string, string>): Promise<void> {
  if (!(await ask(course, { path: '/auth/v1/otp', body: { email, create_user: true } }))) return
  course.newcomers.push(email)
  for (const end = performance.now() + MAIL_WITHIN_MS; !codes.has(email) && performance.now() < end; )
    await pause(20)
  const token = codes.get(email)
  if (!token) return fail(course, 'no code came')
  const body = { email, token, type: 'email' }
  const session = await ask(course, { path: '/auth/v1/verify', body })
  if (!session) return
  await ask(course, { path: endpoints.configuration.path, token: String(session.access_token) })
}
