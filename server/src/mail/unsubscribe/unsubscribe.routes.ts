import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { showErrorsAsPages, showMailPage } from '../../platform/http/mail-page.ts'
import { lookUpUnsubscribe, unsubscribe } from './unsubscribe.ts'
import { confirmPage, donePage, unknownPage } from './unsubscribe-page.ts'
import { UNSUBSCRIBE_PATH } from './unsubscribe-url.ts'

/**
 * Registers the routes of the unsubscribe link, which need no sign-in (rule G-63). GET shows a page with one button and
 * changes nothing, because mail scanners open links. POST stops the trader's mails; the button sends it, or the unsubscribe
 * button of a mail program (RFC 8058).
 */
export async function unsubscribeRoutes(
  app: FastifyInstance,
  deps: { db: Queryable; clock: Clock },
): Promise<void> {
  await app.register(async (scope) => {
    showErrorsAsPages(scope)
    // The token in the path is all that is needed: a body of any length and type is ignored, also one of an invalid type.
    scope.addHook('onRequest', async ({ raw }) => {
      if (raw.method === 'POST') raw.headers['content-type'] = 'application/octet-stream'
    })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => {
      body.resume()
      done(null, null)
    })
    scope.get(UNSUBSCRIBE_PATH, async (request, reply) => {
      const found = await lookUpUnsubscribe(deps, tokenOf(request))
      return found
        ? showMailPage(reply, 200, confirmPage(found.trader))
        : showMailPage(reply, 404, unknownPage())
    })
    scope.post(UNSUBSCRIBE_PATH, async (request, reply) => {
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
