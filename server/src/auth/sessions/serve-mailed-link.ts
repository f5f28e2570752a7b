import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { showMailPage, waitPage } from '../../platform/http/mail-page.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import { limitByIp } from './limit-sign-in.ts'

/** The state of a link: `live` with what it can do, or why it does nothing. */
type Found = { kind: string }
type Live<Of extends Found> = Extract<Of, { kind: 'live' }>
type Dead<Of extends Found> = Exclude<Of['kind'], 'live'>

type MailedLink<Of extends Found> = {
  /** With `:token`. */
  path: string
  lookUp(token: string, now: Date): Promise<Of>
  /** The page of a live link, with the button that presses it. */
  page(live: Live<Of>): string
  press(
    live: Live<Of>,
    asked: { request: FastifyRequest; reply: FastifyReply },
    now: Date,
  ): Promise<FastifyReply>
  deadStatus: Readonly<Record<Dead<Of>, number>>
  deadPage(kind: Dead<Of>): string
}

/** Of the forms, none of which has more than a code. */
const BODY_MAX_BYTES = 1024

/**
 * Serves the link of a mail, which needs no session. GET shows what it can do and changes nothing, since mail programs open links by
 * themselves; POST does it.
 */
export function serveMailedLink<Of extends Found>(
  scope: FastifyInstance,
  deps: AuthDeps,
  link: MailedLink<Of>,
): void {
  scope.get(link.path, (request, reply) =>
    withLive(deps, link, { request, reply }, async (live) => showMailPage(reply, 200, link.page(live))),
  )
  scope.post(link.path, { bodyLimit: BODY_MAX_BYTES }, (request, reply) =>
    withLive(deps, link, { request, reply }, (live, now) => link.press(live, { request, reply }, now)),
  )
}

async function withLive<Of extends Found>(
  deps: AuthDeps,
  link: MailedLink<Of>,
  { reply, request }: { request: FastifyRequest; reply: FastifyReply },
  then: (live: Live<Of>, now: Date) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const now = deps.clock.now()
  try {
    await limitByIp(deps, 'link', request.ip, now)
  } catch (error) {
    if (error instanceof AuthFault) return showMailPage(reply, 429, waitPage())
    throw error
  }
  const { token } = request.params as { token: string }
  const found = await link.lookUp(token, now)
  return isLive(found) ? then(found, now) : showDead(link, reply, found.kind as Dead<Of>)
}

function isLive<Of extends Found>(found: Of): found is Of & Live<Of> {
  return found.kind === 'live'
}

/** Answers why a link does nothing. */
export function showDead<Kind extends string>(
  link: { deadStatus: Readonly<Record<Kind, number>>; deadPage(kind: Kind): string },
  reply: FastifyReply,
  kind: Kind,
): FastifyReply {
  return showMailPage(reply, link.deadStatus[kind], link.deadPage(kind))
}
