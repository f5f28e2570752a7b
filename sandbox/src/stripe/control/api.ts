import type { FastifyInstance } from 'fastify'
import { isPlainObject } from '../shape/plain-object.ts'
import { transact } from '../world/transact.ts'
import { runAction } from './actions.ts'
import { stateOf } from './state.ts'
import type { StripePart } from './stripe-part.ts'

/** So long `settle` waits for the endpoints to acknowledge what they are owed. */
const SETTLE_MS = 20_000

type Action = { Params: { action: string } }

/** The control desk for tests: the same actions as JSON. A page elsewhere cannot send JSON here without asking first. */
export function serveControlApi(app: FastifyInstance, part: StripePart): void {
  app.get('/control/api/state', (_request, reply) => reply.send(transact(part.world, null, stateOf)))

  app.post<Action>('/control/api/:action', async (request, reply) => {
    if (!request.headers['content-type']?.startsWith('application/json'))
      return reply.code(415).send({ error: 'Send JSON.' })
    const given = readObject(String(request.body || '{}'))
    if (given === null) return reply.code(400).send({ error: 'The body is not a JSON object.' })
    const { settle, ...rest } = given
    const input = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]))
    const { ok, words } = await runAction(part, request.params.action, input)
    if (!ok) return reply.code(400).send({ error: words })
    if (settle !== true) return reply.send({ done: words })
    return reply.send({ done: words, settled: await part.courier.settled(null, SETTLE_MS) })
  })
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? value : null
  } catch {
    return null
  }
}
