import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { ignoreBodies, showErrorsAsPages, showMailPage } from '../../platform/http/mail-page.ts'
import { allDonePage, undonePage } from './all-traders-page.ts'
import { lookUpUnsubscribe, takeWay, unsubscribe } from './unsubscribe.ts'
import { confirmPage, donePage, unknownPage } from './unsubscribe-page.ts'
import { UNSUBSCRIBE_PATH, UNSUBSCRIBE_WAYS } from './unsubscribe-url.ts'

/**
 * Registers the routes of the unsubscribe link, which need no sign-in (rule G-63). GET shows a page with its buttons and
 * changes nothing, because mail scanners open links. POST stops the mails about the trader; the first button sends it, or the unsubscribe
 * button of a mail program (RFC 8058). The paths below it are the page's alone (rule G-120).
 */
export async function unsubscribeRoutes(
  app: FastifyInstance,
  deps: { db: Queryable; clock: Clock },
): Promise<void> {
  await app.register(async (scope) => {
    showErrorsAsPages(scope)
    ignoreBodies(scope)
    const show = async (request: FastifyRequest, reply: FastifyReply) => {
      const token = tokenOf(request)
      const found = await lookUpUnsubscribe(deps, token)
      return answer(reply, found && confirmPage(found, token))
    }
    scope.get(UNSUBSCRIBE_PATH, show)
    scope.post(UNSUBSCRIBE_PATH, async (request, reply) => {
      const token = tokenOf(request)
      const stopped = await unsubscribe(deps, token, deps.clock.now())
      return answer(reply, stopped && donePage(stopped, token))
    })
    for (const way of UNSUBSCRIBE_WAYS) {
      // The address that a browser has after a press leads back to the buttons.
      scope.get(`${UNSUBSCRIBE_PATH}/${way}`, show)
      scope.post(`${UNSUBSCRIBE_PATH}/${way}`, async (request, reply) => {
        const token = tokenOf(request)
        const now = await takeWay(deps, token, way, deps.clock.now())
        return answer(reply, now && (way === 'all' ? allDonePage(token) : undonePage(now, way)))
      })
    }
  })
}

/** @param page null for a token that nobody was given */
function answer(reply: FastifyReply, page: string | null): FastifyReply {
  return page === null ? showMailPage(reply, 404, unknownPage()) : showMailPage(reply, 200, page)
}

function tokenOf(request: FastifyRequest): string {
  return (request.params as { token: string }).token
}
