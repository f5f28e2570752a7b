import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientOf } from '../../platform/http/client.ts'
import { showErrorsAsPages, showMailPage } from '../../platform/http/mail-page.ts'
import { lookUpUndo, sendUndoCode, type Undo, undoFactorChange } from '../factors/undo-factor-change.ts'
import { UNDO_PATH } from '../factors/undo-token.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { serveMailedLink, showDead } from '../sessions/serve-mailed-link.ts'
import { askPage, codePage, deadPage, undonePage } from './undo-page.ts'

const DEAD = { deadStatus: { unknown: 404, expired: 410, used: 410, overtaken: 410 }, deadPage } as const

/** Undoes a change of the second step: link and mailed code together (ADR 0031). A press without a code mails one, with it undoes. */
export async function undoRoutes(app: FastifyInstance, deps: AuthDeps): Promise<void> {
  await app.register(async (scope) => {
    showErrorsAsPages(scope)
    scope.removeAllContentTypeParsers()
    const read = { parseAs: 'string' } as const
    scope.addContentTypeParser('application/x-www-form-urlencoded', read, (_request, body, done) =>
      done(null, body),
    )
    serveMailedLink<Undo>(scope, deps, {
      ...DEAD,
      path: UNDO_PATH,
      lookUp: (token, now) => lookUpUndo(deps, token, now),
      page: ({ change }) => askPage(change),
      press: (undo, asked, now) => press(deps, undo, asked, now),
    })
  })
}

async function press(
  deps: AuthDeps,
  undo: Extract<Undo, { kind: 'live' }>,
  { reply, request }: { request: FastifyRequest; reply: FastifyReply },
  now: Date,
): Promise<FastifyReply> {
  const client = clientOf(request)
  const code = new URLSearchParams(typeof request.body === 'string' ? request.body : '').get('code')
  if (code === null) {
    const outcome = await sendUndoCode(deps, undo, client, now)
    return showMailPage(reply, outcome === 'sent' ? 200 : 429, codePage(undo.change, outcome))
  }
  const outcome = await undoFactorChange(deps, undo, code, client, now)
  if (outcome === 'undone') return showMailPage(reply, 200, undonePage(undo.change))
  if (outcome === 'wrong') return showMailPage(reply, 422, codePage(undo.change, 'wrong'))
  return showDead(DEAD, reply, outcome)
}
