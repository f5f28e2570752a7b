import { setTimeout as pause } from 'node:timers/promises'
import { cutConnection, endInTime } from './connections.ts'
import { makeDirectClient } from './direct-client.ts'

/** A connection that only listens never writes, so it would not notice that the other end has gone. */
const ASK_EVERY_MS = 5000

export type Listening = {
  /** Rejects when the connection is lost: what was notified since is not known. */
  lost: Promise<never>
  end(): Promise<void>
}

/**
 * Listens to channels of PostgreSQL's notifications, over a connection of its own (not through a pooler of transactions).
 * @param receive called at each notification
 * @throws when the database cannot be reached
 */
export async function listen<Channel extends string>(
  databaseUrl: string,
  channels: readonly Channel[],
  receive: (channel: Channel, payload: string) => void,
): Promise<Listening> {
  const client = makeDirectClient(databaseUrl)
  const over = new AbortController()
  const { promise: lost, reject } = Promise.withResolvers<never>()
  lost.catch(() => undefined)
  const lose = (error: unknown) => {
    over.abort()
    reject(error)
    cutConnection(client)
  }
  client.on('error', lose)
  client.on('end', () => lose(new Error('a listening connection has ended')))
  client.on('notification', ({ channel, payload }) => receive(channel as Channel, payload ?? ''))
  try {
    await client.connect()
    for (const channel of channels) await client.query(`listen ${channel}`)
  } catch (error) {
    lose(error)
    throw error
  }
  const keepAsking = async () => {
    while (!over.signal.aborted) {
      await pause(ASK_EVERY_MS, undefined, { signal: over.signal, ref: false })
      await client.query('select')
    }
  }
  void keepAsking().catch(lose)
  return {
    lost,
    end() {
      over.abort()
      return endInTime(client.end(), [client])
    },
  }
}
