import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import { showMailPage } from '../platform/http/mail-page.ts'
import { lookUpUnsubscribe, unsubscribe } from './unsubscribe.ts'
import { confirmPage, donePage, unknownPage } from './unsubscribe-page.ts'
import { UNSUBSCRIBE_PATH } from './unsubscribe-url.ts'

/** A one-click request carries one short line (RFC 8058 section 3.2). */
const BODY_MAX_BYTES = 1024

/**
 * The way out of a trader's mails, without signing in. GET shows a page with one button and changes nothing, because
 * scanners open links; POST stops the mails, sent by that button or by a mail program's own (RFC 8058).
 */
export async function unsubscribeRoutes(
  app: FastifyInstance,
  deps: { db: Queryable; clock: Clock },
): Promise<void> {
  await app.register(async (scope) => {
    // The token says it all: whatever the body is, it is not looked at.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, null))
    scope.get(UNSUBSCRIBE_PATH, async (request, reply) => {
      const found = await lookUpUnsubscribe(deps, tokenOf(request))
      return found
        ? showMailPage(reply, 200, confirmPage(found.trader))
        : showMailPage(reply, 404, unknownPage())
    })
    scope.post(UNSUBSCRIBE_PATH, { bodyLimit: BODY_MAX_BYTES }, async (request, reply) => {
      const stopped = await unsubscribe(deps, tokenOf(request), deps.clock.now())
      return stopped
        ? showMailPage(reply, 200, donePage(stopped.trader))
        : showMailPage(reply, 404, unknownPage())
    })
  })
}

function tokenOf(request: FastifyRequest): string {
  return (request.params as { token: string }).token
}
