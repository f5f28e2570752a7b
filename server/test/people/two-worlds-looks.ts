import type { Endpoint } from '@tradepost/contract/endpoint'
import { endpoints } from '@tradepost/contract/endpoints'
import type { LightMyRequestResponse } from 'fastify'
import { bearer, tokenOf } from '../sign-in/sign-in.ts'
import { FREE, HELD, type World } from './two-worlds.ts'

/** An answer, whole, by its place: `status`, `header.etag`, `body.openPositions`. */
export type Look = { call: string; places: Map<string, string> }

const NAMES = ['stella', 'tobias', 'anton']
const ofNames = (query: string) => NAMES.map((name) => query.replace('NAME', name))
const none = ['']

/** With which parameters each call that reads is asked. A new one has its line here, or nothing compiles. */
const ASKED: Readonly<Record<Reading, readonly string[]>> = {
  configuration: none,
  customer: none,
  payoutStatus: none,
  subscribers: none,
  desk: none,
  payouts: none,
  prices: none,
  discountCodes: none,
  discount: NAMES,
  followingResults: none,
  subscriptions: none,
  invoices: none,
  subscriptionCheck: NAMES,
  leaving: NAMES,
  sessions: none,
  secondStep: none,
  closing: none,
  search: ofNames('?username=NAME'),
  suggestions: ['?username=ste', '?username=tob', '?username=ant'],
  profile: ofNames('?username=NAME'),
  symbols: ['?query=free', '?query=own', `?query=${FREE[0]}`],
  closedPositions: NAMES,
  positionHistory: ['own'],
  trackRecord: NAMES,
  leaderboard: none,
  offered: none,
  proven: none,
  positions: none,
  marks: none,
  activity: none,
  mailings: none,
  unreadActivity: none,
  feedVersion: none,
  push: none,
}

export type Reading = {
  [Name in keyof typeof endpoints]: (typeof endpoints)[Name] extends { method: 'GET' }
    ? (typeof endpoints)[Name] extends { streams: true }
      ? never
      : Name
    : never
}[keyof typeof endpoints]

/** Paths that are no calls of the contract. */
const OTHERS = [
  '/healthz',
  '/readyz',
  '/auth/v1/settings',
  '/auth/v1/health',
  '/auth/v1/user',
  '/auth/v1/.well-known/jwks.json',
]
/** The symbols that a stranger checks: one that they hold, two that nobody held at first, and one that does not exist. */
const CHECKED = [HELD[0], FREE[0], FREE[1], 'NOSUCH']

/** The random values that came up in a world, by call, each with its number there. */
export type Known = Map<string, Map<string, string>>

/** Everything that a stranger can ask, asked at once. A random value is replaced by its number, in the order of that call. */
export async function lookAround(world: World, knownTo: Known): Promise<Look[]> {
  const { stranger, testApp } = world
  const headers = bearer(await tokenOf(testApp, stranger))
  const looks: Look[] = []
  const look = async (name: string, method: 'GET' | 'POST', url: string, payload?: object) => {
    const answer = await testApp.app.inject({ method, url, headers, ...(payload && { payload }) })
    looks.push(lookAt(name, answer, knownTo))
  }
  const history = await ownPosition(world)
  for (const [name, asked] of Object.entries(ASKED) as [Reading, string[]][])
    for (const part of asked) await look(`${name} ${part}`, 'GET', urlOf(endpoints[name], part, history))
  for (const url of OTHERS) await look(url, 'GET', url)
  for (const name of NAMES) {
    const answer = await world.pages.get(`/t/${name}`)
    looks.push(lookAt(`page ${name}`, answer, knownTo))
  }
  looks.push(lookAt('status', await world.pages.get('/status.json'), knownTo))
  for (const symbol of CHECKED) {
    // Each check has a key of its own.
    knownTo.delete(`preview ${symbol}`)
    await look(`preview ${symbol}`, 'POST', '/v1/positions/preview', { symbol })
  }
  looks.push(await lookAtMails(world, knownOf(knownTo, 'mails')))
  return looks
}

/** An answer with everything that it contains. */
export function lookAt(call: string, answer: LightMyRequestResponse, knownTo: Known): Look {
  const known = knownOf(knownTo, call)
  const { date: _date, 'x-request-id': _id, ...headers } = answer.headers
  const places = new Map([['status', String(answer.statusCode)]])
  for (const [header, value] of Object.entries(headers))
    places.set(`header.${header}`, withoutRandom(String(value), known))
  const isJson = String(headers['content-type']).includes('json')
  flatten('body', isJson ? answer.json() : answer.body, places, known)
  // Of a refusal, and another one each time, as its header is.
  places.delete('body.requestId')
  return { call, places }
}

function knownOf(known: Known, call: string): Map<string, string> {
  const ofCall = known.get(call) ?? new Map<string, string>()
  known.set(call, ofCall)
  return ofCall
}

function urlOf({ path }: Endpoint, part: string, history: string): string {
  if (part === 'own') return path.replace(':username', 'stella').replace(':id', history)
  return part.startsWith('?') ? path + part : path.replace(/:username|:id/, part).replace(':code', 'SPRING')
}

async function ownPosition({ stranger, testApp }: World): Promise<string> {
  const { rows } = await testApp.pool.query<{ id: string }>(
    'select id from positions where trader_id = $1 order by id limit 1',
    [stranger.userId],
  )
  return rows[0]?.id ?? ''
}

/** Mails to the stranger that are written one by one; those to an audience are about the trader, whose events are the same. */
async function lookAtMails({ stranger, testApp }: World, known: Map<string, string>): Promise<Look> {
  const { rows } = await testApp.pool.query<{ mail: object }>(
    `select jsonb_build_object('kind', kind, 'facts', facts, 'due', due_at) as mail from outbox where user_id = $1 order by due_at, id`,
    [stranger.userId],
  )
  const places = new Map<string, string>()
  flatten('mails', rows, places, known)
  return { call: 'mails', places }
}

function flatten(place: string, value: unknown, into: Map<string, string>, known: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) {
    into.set(place, typeof value === 'string' ? withoutRandom(value, known) : String(value))
    return
  }
  const parts = Object.entries(value)
  // The fields in their order, and how many of a list.
  into.set(place, Array.isArray(value) ? `${value.length}` : parts.map(([key]) => key).join())
  for (const [key, part] of parts) flatten(`${place}.${key}`, part, into, known)
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
/** A digest, a key, a token: whatever is long and reads as base64url. */
const TOKEN = /[\w-]{22,}/g

/** A text without random values: an id or a token is replaced by its number, in the order in which they came up. */
export function withoutRandom(text: string, known: Map<string, string>): string {
  return text
    .replaceAll(TOKEN, (token) => readable(token) ?? token)
    .replaceAll(UUID, (id) => numberOf(id, known))
    .replaceAll(TOKEN, (token) => numberOf(token, known))
}

function numberOf(token: string, known: Map<string, string>): string {
  const number = known.get(token) ?? `#${known.size + 1}`
  known.set(token, number)
  return number
}

/** The content of a token that is no secret. */
function readable(token: string): string | null {
  const text = Buffer.from(token, 'base64url').toString('latin1')
  return /^[\x20-\x7e]+$/.test(text) ? text : null
}
