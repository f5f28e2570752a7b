import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'

/** How long a goodbye to the server may take. */
const GOODBYE_MS = 1000

/** Whether an error means that the server did not answer within the connection's `query_timeout`. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * The connections of a part of the process to the database. After a statement that was not answered in time its connection is
 * ended, since it would have every later statement wait; and so are the connections that wait for work, which have probably gone
 * silent too, and of which each would cost a statement.
 */
export class Connections {
  private readonly open = new Set<pg.ClientBase>()
  private readonly idle = new Set<pg.ClientBase>()
  private readonly onLoss: (error: Error) => void

  constructor(onLoss: (error: Error) => void) {
    this.onLoss = onLoss
  }

  /** @param note called with every error that a statement ends with */
  adopt(client: pg.ClientBase, note: (error: unknown) => void): void {
    this.open.add(client)
    // A client that is lost while its transaction waits for something else has no other listener, and would end the process.
    client.on('error', this.onLoss).on('end', () => this.open.delete(client))
    watchErrors(client, (error) => {
      if (isSilence(error)) this.dropIdle()
      note(error)
    })
  }

  adoptPool(pool: pg.Pool): void {
    pool.on('error', this.onLoss)
    pool.on('release', (_error, client) => this.idle.add(client))
    for (const taken of ['acquire', 'remove'] as const) pool.on(taken, (client) => this.idle.delete(client))
  }

  /** Waits for the goodbye of all a second, and closes what is left without. */
  end(goodbye: Promise<unknown>): Promise<void> {
    return endInTime(goodbye, this.open)
  }

  /** Ends those that wait for work: something else of the process has found its connection silent. */
  dropIdle(): void {
    for (const client of this.idle) {
      // A pool forgets at once a client that reports an error.
      client.emit('error', new Error('another connection has gone silent'))
      cutConnection(client)
    }
  }
}

function watchErrors(client: pg.ClientBase, note: (error: unknown) => void): void {
  const plain = client.query.bind(client) as (...args: unknown[]) => unknown
  const onError = (error: unknown) => {
    // Ends without a goodbye, since a statement is under way; and the pool takes back no client that is ending.
    if (isSilence(error)) void (client as pg.Client).end()
    note(error)
  }
  const watched = (...args: unknown[]) => {
    const callback = args.at(-1)
    if (typeof callback === 'function') {
      const onResult = (error: unknown, result: unknown) => {
        if (error) onError(error)
        callback(error, result)
      }
      return plain(...args.slice(0, -1), onResult)
    }
    const answer = plain(...args)
    if (!(answer instanceof Promise)) return answer
    return answer.catch((error: unknown) => {
      onError(error)
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
  const answered = goodbye.catch(() => undefined).finally(() => given.abort())
  await Promise.race([
    answered,
    pause(GOODBYE_MS, undefined, { signal: given.signal }).catch(() => undefined),
  ])
  for (const client of clients) cutConnection(client)
}
