import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../platform/clock.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { acceptMailgun, type MailgunDeps } from './accept-mailgun.ts'

const BODY_MAX_BYTES = 64 * 1024

/**
 * The route for Mailgun's reports of mails that it has taken; without its key there is no such address. Mailgun alone knows how
 * often it has to call, so no limit counts here; a call that is not Mailgun's costs one keyed hash.
 */
export function mailgunRoutes(app: FastifyInstance, deps: MailgunDeps & { clock: Clock }): void {
  if (deps.settings.reports.mailgunKey === null) return
  app.post(
    '/webhooks/mailgun',
    { bodyLimit: BODY_MAX_BYTES, config: { rateLimit: false } },
    async (request, reply) => {
      if (!(await acceptMailgun(deps, request.body, deps.clock.now()))) throw refusal('bad_request')
      return reply.send({ received: true })
    },
  )
}
