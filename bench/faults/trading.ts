/** A trader who opens and closes positions over HTTP while something is killed, and what must be true of it afterwards. */
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { endpoints } from '../../contract/src/endpoints.ts'
import type { QuoteServer } from '../../server/test/prices/quote-server.ts'
import type { ServerProcess } from '../server-process.ts'

/** As many as one trader has live price checks for, each of another ticker. */
const CLIENTS = 3
/** Between two positions of a client. */
const PAUSE_MS = 50
const REASON = 'For a reason that is long enough.'

export type Trading = {
  /** The api that is asked; null while none is there. */
  api: ServerProcess | null
  over: boolean
  /** Symbols whose opening, and whose closing, was answered with success. */
  opened: string[]
  closed: string[]
  unanswered: number
  /** Answers that are no success, by status and code. */
  refused: Map<string, number>
}

export function newTrading(): Trading {
  return { api: null, over: false, opened: [], closed: [], unanswered: 0, refused: new Map() }
}

/** Clients that open and close positions, each one after the other, until it is over. */
export async function keepTrading(course: Trading, token: string, quotes: QuoteServer): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => keepOne(course, client, token, quotes)))
}

async function keepOne(course: Trading, client: number, token: string, quotes: QuoteServer): Promise<void> {
  for (let number = 0; !course.over; number += 1) {
    const symbol = `C${client}N${number}`
    quotes.set(symbol, { price: randomInt(100, 110), at: new Date() })
    const opening = { symbol, openNotes: REASON, positionLength: 'one_to_three_weeks' }
    if (await trade(course, token, endpoints.openPosition.path, opening)) {
      course.opened.push(symbol)
      const closing = { symbol, closeNotes: REASON }
      if (await trade(course, token, endpoints.closePosition.path, closing)) course.closed.push(symbol)
    }
    await pause(PAUSE_MS)
  }
}

/** @returns whether it was answered with success */
async function trade(
  course: Trading,
  token: string,
  path: string,
  body: { symbol: string },
): Promise<boolean> {
  const preview = await ask(course, token, endpoints.preview.path, { symbol: body.symbol })
  if (!preview) return false
  return (await ask(course, token, path, { ...body, key: preview.key })) !== null
}

/** @returns null when it was refused, or not answered because the server was killed */
async function ask(
  course: Trading,
  token: string,
  path: string,
  body: object,
): Promise<{ key: string } | null> {
  while (!course.api && !course.over) await pause(20)
  try {
    const answer = await fetch(`http://127.0.0.1:${course.api?.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    const json = (await answer.json()) as { key: string; code?: string }
    if (answer.ok) return json
    const refusal = `${answer.status} ${json.code}`
    course.refused.set(refusal, (course.refused.get(refusal) ?? 0) + 1)
  } catch {
    course.unanswered += 1
  }
  return null
}

export type Trades = { standing: Set<string>; closed: Set<string>; events: number }

export async function tradesThatStand(pool: pg.Pool): Promise<Trades> {
  const { rows } = await pool.query<{ symbol: string; active: boolean }>(
    'select symbol, active from positions',
  )
  const standing = new Set(rows.map(({ symbol }) => symbol))
  const closed = new Set(rows.filter(({ active }) => !active).map(({ symbol }) => symbol))
  return { standing, closed, events: standing.size + closed.size }
}

/** @returns how many opens and closes were answered with success and do not stand */
export function lostTrades(course: Trading, { standing, closed }: Trades): number {
  const opens = course.opened.filter((symbol) => !standing.has(symbol))
  const closes = course.closed.filter((symbol) => !closed.has(symbol))
  return opens.length + closes.length
}
