import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'

/** How long a goodbye to the server may take. */
const GOODBYE_MS = 1000

/** Whether an error says that the server did not answer within the connection's `query_timeout`. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * Hears of every error that a statement of this connection ends with. After one that was not answered in time the
 * connection is ended: it would have every later statement wait behind the one without an answer.
 */
export function watchErrors(client: pg.ClientBase, note: (error: unknown) => void): void {
  const plain = client.query.bind(client) as (...args: unknown[]) => unknown
  const hear = (error: unknown) => {
    // Ends without a goodbye, since a statement is under way; and the pool takes back no client that is ending.
    if (isSilence(error)) void (client as pg.Client).end()
    note(error)
  }
  const watched = (...args: unknown[]) => {
    const callback = args.at(-1)
    if (typeof callback === 'function') {
      const tell = (error: unknown, result: unknown) => {
        if (error) hear(error)
        callback(error, result)
      }
      return plain(...args.slice(0, -1), tell)
    }
    const answer = plain(...args)
    if (!(answer instanceof Promise)) return answer
    return answer.catch((error: unknown) => {
      hear(error)
      throw error
    })
  }
  client.query = watched as typeof client.query
}

/** Closes a connection at once, without a goodbye that a silent server would never answer. */
export function cutConnection(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}

/** Ends connections by `goodbye`, or without it where the server does not answer that within a second. */
export async function endInTime(goodbye: Promise<unknown>, clients: Iterable<pg.ClientBase>): Promise<void> {
  const given = new AbortController()
  const said = goodbye.catch(() => undefined).finally(() => given.abort())
  await Promise.race([said, pause(GOODBYE_MS, undefined, { signal: given.signal }).catch(() => undefined)])
  for (const client of clients) cutConnection(client)
}
