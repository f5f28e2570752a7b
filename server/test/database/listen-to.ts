import { DatabaseClient } from '../../src/platform/database/database-client.ts'

/** Listens to a channel of a database from now on. */
export async function listenTo(
  databaseUrl: string,
  channel: string,
): Promise<AsyncDisposable & { heard(): Promise<string[]> }> {
  const listener = new DatabaseClient({ connectionString: databaseUrl })
  await listener.connect()
  const payloads: string[] = []
  listener.on('notification', ({ payload = '' }) => payloads.push(payload))
  await listener.query(`listen ${channel}`)
  return {
    /** The payloads up to now: a notification arrives before the answer to what is asked after it. */
    async heard() {
      await listener.query('select 1')
      return payloads
    },
    [Symbol.asyncDispose]: () => listener.end(),
  }
}
