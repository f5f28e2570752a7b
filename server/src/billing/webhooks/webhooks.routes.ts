import { WEBHOOK_BODY_MAX_BYTES } from '@tradepost/contract/limits'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refusal } from '../../platform/http/refusal.ts'
import { WEBHOOK_PATHS } from '../../stripe/webhook-events.ts'
import { type AcceptDeps, acceptAccountEvent, acceptPlatformEvent } from './accept-event.ts'

const ROUTES = [
  [WEBHOOK_PATHS.platform, acceptPlatformEvent],
  [WEBHOOK_PATHS.accounts, acceptAccountEvent],
] as const

/**
 * Where Stripe sends its events. The body is taken as bytes, since the signature is over bytes, and nothing
 * of it is read before that is checked. Stripe alone knows how often it has to call, so no limit counts here; what is not
 * Stripe's costs one keyed hash.
 */
export async function webhooksRoutes(app: FastifyInstance, deps: AcceptDeps): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    for (const [url, accept] of ROUTES) {
      scope.post(
        url,
        { bodyLimit: WEBHOOK_BODY_MAX_BYTES, config: { rateLimit: false } },
        async (request, reply) => {
          if (!(await accept(deps, webhookOf(request), deps.clock.now()))) throw refusal('bad_request')
          return reply.send({ received: true })
        },
      )
    }
  })
}

function webhookOf(request: FastifyRequest) {
  const payload = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  return { payload, header: request.headers['stripe-signature'] }
}
