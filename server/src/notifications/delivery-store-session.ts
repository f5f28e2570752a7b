import pg from 'pg'
import { cutConnection, endInTime } from '../platform/connections.ts'
import { isAnswer } from '../platform/database.ts'
import { oneAfterAnother } from '../platform/one-after-another.ts'
import { enterWorkers } from '../platform/workers.ts'

const CONNECT_TIMEOUT_MS = 4000
/** The server answers a statement within the first limit, or with its refusal; by the second one nobody is there. */
const STATEMENT_TIMEOUT_MS = 3500
const ANSWER_TIMEOUT_MS = 4000
const INT8_OID = 20

/**
 * The one database session of a worker's delivery: its sign of life and its statements, whose commits do not wait for
 * the disk. It is lost for good with the first statement that is not answered, since nobody knows whether that one was
 * done.
 */
export type DeliverySession = {
  /** Of this worker, for as long as the session lives. */
  number: number
  /** Says statements, one after another. @throws when it was refused, or the session is lost */
  say<T>(work: (client: pg.Client) => Promise<T>): Promise<T>
  /** Rejects when the session is lost. */
  lost: Promise<never>
  /** A second at most, whatever hangs. */
  end(): Promise<void>
}

/** @param onNews called when ranges have been planned, by whichever process */
export async function openDeliverySession(deps: {
  databaseUrl: string
  onNews: () => void
}): Promise<DeliverySession> {
  const client = makeClient(deps.databaseUrl)
  const { promise: lost, reject } = Promise.withResolvers<never>()
  lost.catch(() => undefined)
  let loss: unknown = null
  const lose = (error: unknown) => {
    loss ??= error
    reject(error)
    cutConnection(client)
  }
  client.on('error', lose)
  client.on('end', () => lose(new Error('the delivery store lost its database session')))
  client.on('notification', deps.onNews)
  try {
    await client.connect()
    await client.query('set synchronous_commit = off')
    const number = await enterWorkers(client)
    await client.query('listen deliveries')
    // A database session does one thing at a time.
    const inTurn = oneAfterAnother()
    return {
      number,
      say: (work) =>
        inTurn(async () => {
          if (loss) throw loss
          return work(client).catch((error: unknown) => {
            if (!isAnswer(error)) lose(error)
            throw error
          })
        }),
      lost,
      end: () => endInTime(client.end(), [client]),
    }
  } catch (error) {
    lose(error)
    throw error
  }
}

function makeClient(databaseUrl: string): pg.Client {
  const types = new pg.TypeOverrides()
  types.setTypeParser(INT8_OID, Number)
  return new pg.Client({
    connectionString: databaseUrl,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    types,
  })
}
