import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { AuthDeps } from '../../auth/keys/auth-deps.ts'
import { serveMailedLink } from '../../auth/sessions/serve-mailed-link.ts'
import { ignoreBodies, showErrorsAsPages, showMailPage } from '../../platform/http/mail-page.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { Settings } from '../../platform/settings.ts'
import { LEAVE_PATH, LEAVING_PATH } from '../leaving/leave-link.ts'
import {
  askPage,
  canceledPage,
  deadPage,
  leavingPage,
  refusedPage,
  sentPage,
  withdrawnPage,
} from '../leaving/leave-pages.ts'
import {
  type LeaveLink,
  type LeavingLink,
  lookUpLeave,
  lookUpLeaving,
  mailWayOut,
  useUpLink,
} from '../leaving/leave-requests.ts'
import { cancelSubscription } from '../leaving/plan-end.ts'
import { withdraw } from '../leaving/withdraw.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'

/** With the token, which the forms of its page post to. */
type OfToken = LeavingLink & { token: string }
type Live = Extract<OfToken, { kind: 'live' }>
type Asked = { request: FastifyRequest; reply: FastifyReply }

/** Leaving by the link of a mail, without signing in (rule G-126): the footer's link mails a second one, which does it. */
export async function leaveRoutes(app: FastifyInstance, deps: AuthDeps & BillingDeps): Promise<void> {
  await app.register(async (scope) => {
    showErrorsAsPages(scope)
    ignoreBodies(scope)
    serveMailedLink<LeaveLink>(scope, deps, {
      path: LEAVE_PATH,
      deadStatus: { unknown: 404, expired: 410, ended: 410, closed: 410 },
      deadPage,
      lookUp: (token, now) => lookUpLeave(deps, token, now),
      page: ({ leaver }) => askPage(leaver.username),
      press: async ({ leaver }, { reply }, now) =>
        showMailPage(reply, 200, sentPage(await mailWayOut(deps, leaver, now))),
    })
    const serve = (path: string, act: (live: Live, asked: Asked, now: Date) => Promise<string>) =>
      serveMailedLink<OfToken>(scope, deps, {
        path,
        deadStatus: { unknown: 404, late: 410, used: 410, moved: 410, ended: 410, newer: 410, closed: 410 },
        deadPage,
        lookUp: async (token, now) => ({ ...(await lookUpLeaving(deps, token, now)), token }),
        page: (live) => show(live, deps.settings),
        press: (live, asked, now) => press(asked, () => act(live, asked, now)),
      })
    serve(LEAVING_PATH, async (live) => show(live, deps.settings))
    serve(`${LEAVING_PATH}/cancel`, async ({ leaver, requestId }, _asked, now) => {
      const { endsAt } = await cancelSubscription(deps, leaver, now)
      await useUpLink(deps, requestId, now)
      return canceledPage(leaver.username, endsAt)
    })
    serve(`${LEAVING_PATH}/withdraw`, async ({ leaver, requestId }, { request }, now) => {
      const withdrawn = await withdraw(deps, leaver, readAsOf(request), now)
      await useUpLink(deps, requestId, now)
      return withdrawnPage(leaver.username, withdrawn)
    })
  })
}

function show({ leaver, leaving, token }: Live, settings: Pick<Settings, 'returnEmptyMonths'>): string {
  return leavingPage(LEAVING_PATH.replace(':token', token), leaver.username, leaving, settings)
}

/** Another press, or Stripe, may have been faster than this one: that is said, and the link lives on. */
async function press({ reply }: Asked, act: () => Promise<string>): Promise<FastifyReply> {
  try {
    return showMailPage(reply, 200, await act())
  } catch (error) {
    if (error instanceof Refusal && error.status === 409) return showMailPage(reply, 409, refusedPage())
    throw error
  }
}

const asOfQuery = z.object({ asOf: z.iso.datetime() })

/** The instant of the amounts that the page showed; null where it was typed by hand, so that those of now count. */
function readAsOf({ query }: FastifyRequest): Date | null {
  const { data } = asOfQuery.safeParse(query)
  return data ? new Date(data.asOf) : null
}
