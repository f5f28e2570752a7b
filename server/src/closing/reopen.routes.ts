import type { FastifyInstance } from 'fastify'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import { serveMailedLink, showDead } from '../auth/sessions/serve-mailed-link.ts'
import { clientOf } from '../platform/http/client.ts'
import { ignoreBodies, showErrorsAsPages, showMailPage } from '../platform/http/mail-page.ts'
import { lookUpReopening, type Reopening, reopenAccount } from './reopen-account.ts'
import { REOPEN_PATH } from './reopen-link.ts'
import { askPage, deadPage, reopenedPage } from './reopen-page.ts'

const DEAD = { deadStatus: { unknown: 404, open: 200, newer: 410, over: 410 }, deadPage } as const

/** Gives a closed account back by the link of a mail (rule G-117). */
export async function reopenRoutes(app: FastifyInstance, deps: AuthDeps): Promise<void> {
  await app.register(async (scope) => {
    showErrorsAsPages(scope)
    ignoreBodies(scope)
    serveMailedLink<Reopening>(scope, deps, {
      ...DEAD,
      path: REOPEN_PATH,
      lookUp: (token, now) => lookUpReopening(deps, token, now),
      page: ({ eraseAt }) => askPage(eraseAt),
      async press({ closingId }, { reply, request }, now) {
        const outcome = await reopenAccount(deps, closingId, clientOf(request), now)
        return outcome === 'over' ? showDead(DEAD, reply, 'over') : showMailPage(reply, 200, reopenedPage())
      },
    })
  })
}
