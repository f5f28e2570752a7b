import { expect } from 'vitest'
import type { TestApp } from '../build-test-app.ts'
import { setMark } from '../factories.ts'
import { listenOnLoopback } from '../open-feed.ts'
import type { QuoteServer } from '../prices/quote-server.ts'
import { bearer, type SignedIn, tokenOf } from '../sign-in/sign-in.ts'

/** The type of what a page without script sends. */
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Where they live. */
export type World = { testApp: TestApp; quotes: QuoteServer }

export type Asked = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  url: string
  token?: string
  headers?: Record<string, string>
  body?: unknown
}

/** Sends a request. @returns the status, and the rest of the answer as text */
export async function ask(
  { testApp }: Pick<World, 'testApp'>,
  { body, headers, method, token, url }: Asked,
): Promise<{ status: number; text: string; body: Record<string, unknown> }> {
  const answer = await testApp.app.inject({
    method,
    url,
    headers: { ...headers, ...(token && bearer(token)) },
    ...(body !== undefined && { payload: body as string | object }),
  })
  const isJson = String(answer.headers['content-type']).includes('json')
  const { date: _date, 'x-request-id': _id, ...rest } = answer.headers
  return {
    status: answer.statusCode,
    text: `${answer.body}\n${JSON.stringify(rest)}`,
    body: isJson ? answer.json() : {},
  }
}

/** The last event id of an event that nobody has: marking it as seen changes nothing, and is sent to the person's feeds. */
const NOTHING_SEEN = Buffer.from('00000000-0000-0000-0000-000000000000 1').toString('base64url')

/** Asks for the feed, and reads it until it sends what came after everything that was missed. */
export async function askFeed(world: World, token: string, lastEventId: string) {
  const ending = new AbortController()
  const headers = { ...bearer(token), 'last-event-id': lastEventId }
  const origin = await listenOnLoopback(world.testApp)
  const answer = await fetch(`${origin}/v1/feed`, { headers, signal: ending.signal })
  if (answer.status !== 200) return { status: answer.status, text: await answer.text(), body: {} }
  let text = ''
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const wasReady = text.includes('"ready"')
    text += part
    if (!wasReady && text.includes('"ready"')) {
      const body = { seen: NOTHING_SEEN }
      await ask(world, { method: 'POST', url: '/v1/activity/read', token, body })
    }
    if (text.includes('"what":"activity"')) break
  }
  ending.abort()
  return { status: answer.status, text, body: {} }
}

/** Opens a position, which counts as yesterday's: it may be closed. */
export async function openYesterday(world: World, who: Holder, symbol: string): Promise<void> {
  const order = { symbol, openNotes: `The opening of ${symbol} has its reason.` }
  const body = { ...order, key: await takeKeyOf(world, who, symbol), positionLength: 'one_to_three_weeks' }
  const token = await tokenFor(world, who)
  const opened = await ask(world, { method: 'POST', url: '/v1/positions/open', token, body })
  expect(opened, opened.text).toMatchObject({ status: 201 })
  await world.testApp.pool.query(
    "update positions set opened_at = opened_at - interval '1 day' where trader_id = $1 and symbol = $2",
    [who.userId, symbol],
  )
}

/** Somebody who has signed in, with the session that they confirmed since, if any. */
type Holder = SignedIn & { session?: { access_token: string } }

async function tokenFor({ testApp }: World, who: Holder): Promise<string> {
  return who.session?.access_token ?? tokenOf(testApp, who)
}

/** A price that was checked, and may be used once. */
export async function takeKeyOf(world: World, who: Holder, symbol: string): Promise<string> {
  world.quotes.set(symbol, { price: 100, at: world.testApp.clock.now() })
  await setMark(world.testApp, symbol, 100)
  const token = await tokenFor(world, who)
  const answer = await ask(world, { method: 'POST', url: '/v1/positions/preview', token, body: { symbol } })
  expect(answer, answer.text).toMatchObject({ status: 200 })
  return String(answer.body.key)
}
