import type { FastifyInstance } from 'fastify'
import { clientOf } from '../../platform/http/client.ts'
import { ignoreBodies, showErrorsAsPages, showMailPage } from '../../platform/http/mail-page.ts'
import { type EmailUndo, lookUpEmailUndo, undoEmailChange } from '../email-change/undo-email-change.ts'
import { EMAIL_UNDO_PATH } from '../factors/undo-token.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { serveMailedLink, showDead } from '../sessions/serve-mailed-link.ts'
import { askEmailPage, deadEmailPage, restoredEmailPage } from './email-undo-page.ts'

const DEAD = {
  deadStatus: { unknown: 404, expired: 410, used: 410, overtaken: 410, taken: 409 },
  deadPage: deadEmailPage,
} as const

/** Takes a change of address back (ADR 0123). The link came to the mailbox that it gives back, so it needs no code. */
export async function emailUndoRoutes(app: FastifyInstance, deps: AuthDeps): Promise<void> {
  await app.register(async (scope) => {
    showErrorsAsPages(scope)
    ignoreBodies(scope)
    serveMailedLink<EmailUndo>(scope, deps, {
      ...DEAD,
      path: EMAIL_UNDO_PATH,
      lookUp: (token, now) => lookUpEmailUndo(deps, token, now),
      page: ({ oldEmail }) => askEmailPage(oldEmail),
      async press({ id }, { reply, request }, now) {
        const undone = await undoEmailChange(deps, id, clientOf(request), now)
        if (undone.kind === 'live') return showMailPage(reply, 200, restoredEmailPage(undone.oldEmail))
        return showDead(DEAD, reply, undone.kind)
      },
    })
  })
}
