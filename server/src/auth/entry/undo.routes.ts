import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientOf } from '../../platform/http/client.ts'
import { showErrorsAsPages, showMailPage, waitPage } from '../../platform/http/mail-page.ts'
import { lookUpUndo, sendUndoCode, type Undo, undoFactorChange } from '../factors/undo-factor-change.ts'
import { UNDO_PATH } from '../factors/undo-token.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import { limitByIp } from '../sessions/limit-sign-in.ts'
import { askPage, codePage, deadPage, undonePage } from './undo-page.ts'

/** Enough for the form's only field, the code. */
const BODY_MAX_BYTES = 1024
const DEAD_STATUS = { unknown: 404, expired: 410, used: 410, overtaken: 410 } as const

/**
 * Undoes a change of the second step, without signing in: link and mailed code together (ADR 0031). GET shows what the link
 * would do and changes nothing; POST without a code mails one, POST with it undoes.
 */
export async function undoRoutes(app: FastifyInstance, deps: AuthDeps): Promise<void> {
  await app.register(async (scope) => {
    showErrorsAsPages(scope)
    scope.removeAllContentTypeParsers()
    const read = { parseAs: 'string' } as const
    scope.addContentTypeParser('application/x-www-form-urlencoded', read, (_request, body, done) =>
      done(null, body),
    )
    scope.get(UNDO_PATH, (request, reply) =>
      withLiveUndo(deps, request, reply, (undo) => showMailPage(reply, 200, askPage(undo.change))),
    )
    scope.post(UNDO_PATH, { bodyLimit: BODY_MAX_BYTES }, (request, reply) =>
      withLiveUndo(deps, request, reply, (undo, now) => post(deps, { request, reply, undo }, now)),
    )
  })
}

type LiveUndo = Extract<Undo, { kind: 'live' }>

async function post(
  deps: AuthDeps,
  { request, reply, undo }: { request: FastifyRequest; reply: FastifyReply; undo: LiveUndo },
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
  return showMailPage(reply, DEAD_STATUS[outcome], deadPage(outcome))
}

async function withLiveUndo(
  deps: AuthDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  show: (undo: LiveUndo, now: Date) => FastifyReply | Promise<FastifyReply>,
): Promise<FastifyReply> {
  const now = deps.clock.now()
  try {
    await limitByIp(deps, 'link', request.ip, now)
  } catch (error) {
    if (error instanceof AuthFault) return showMailPage(reply, 429, waitPage())
    throw error
  }
  const { token } = request.params as { token: string }
  const undo = await lookUpUndo(deps, token, now)
  if (undo.kind === 'live') return show(undo, now)
  return showMailPage(reply, DEAD_STATUS[undo.kind], deadPage(undo.kind))
}
