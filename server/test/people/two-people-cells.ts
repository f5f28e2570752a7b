import { ask, askFeed, FORM, type World } from './two-people-ask.ts'
import type { Call, Sent } from './two-people-calls.ts'

/** The place of somebody else's value: `params.id`, `body.keys.auth`; `whole` for a request that is theirs in all its parts. */
export type Place = string

type Tree = { [part: string]: unknown }

/** The places of a request, down to its single values. */
export function placesOf({ body, headers, params, query }: Sent): Place[] {
  return leavesOf({ params, query, body, headers }).filter((place) => place !== 'headers.content-type')
}

function leavesOf(tree: Tree, above = ''): Place[] {
  return Object.entries(tree).flatMap(([part, value]) => {
    const place = `${above}${part}`
    if (value === undefined) return []
    return typeof value === 'object' && value !== null ? leavesOf(value as Tree, `${place}.`) : [place]
  })
}

/** The same request with another value in one place. */
export function putAt(sent: Sent, place: Place, value: string): Sent {
  const copy = structuredClone(sent)
  const parts = place.split('.')
  const last = parts.pop() ?? ''
  let at = copy as Tree
  for (const part of parts) at = at[part] as Tree
  at[last] = value
  return copy
}

/** Sends a request as the bearer of the token, unless it brings its own. */
export async function send(world: World, { method, path, streams }: Call, sent: Sent, token: string) {
  const { body, headers, params = {}, query = {} } = sent
  const of = sent.token ?? token
  if (streams) return askFeed(world, of, headers?.['last-event-id'] ?? '')
  const filled = path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''))
  const url = Object.keys(query).length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`
  const isForm = headers?.['content-type'] === FORM['content-type']
  const written = isForm ? new URLSearchParams(body as Record<string, string>).toString() : body
  return ask(world, { method, url, token: of, ...(headers && { headers }), body: written })
}

export type Answered = Awaited<ReturnType<typeof send>>

/** Whether a request was done: a redirect that carries an error was refused. */
export function isDone({ status, text }: Answered): boolean {
  return status < 400 && !(status >= 300 && text.includes('error='))
}
