import { endpoints } from '@tradepost/contract/endpoints'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthDeps } from '../../auth/keys/auth-deps.ts'
import { serveMailedLink, showDead } from '../../auth/sessions/serve-mailed-link.ts'
import { clientOf } from '../../platform/http/client.ts'
import { ignoreBodies, showErrorsAsPages } from '../../platform/http/mail-page.ts'
import type { EndpointRegistry } from '../../platform/http/register-endpoints.ts'
import { type Log, reasonOf } from '../../platform/log.ts'
import { exportFileName } from '../file/write-export.ts'
import { deadPage, takePage } from './export-page.ts'
import { EXPORT_PATH } from './export-token.ts'
import { requestExport } from './request-export.ts'
import { sendFile } from './send-file.ts'
import {
  beginFile,
  type ExportDeps,
  type ExportLink,
  endExport,
  type LiveExport,
  lookUpExport,
} from './take-export.ts'

const DEAD = {
  deadStatus: { unknown: 404, expired: 410, taken: 410, replaced: 410, broken: 410 },
  deadPage,
} as const

type Deps = AuthDeps & { log: Log }

/**
 * The link to a file of one's data: asking for it takes a session, taking it takes the link alone, in a mail or on the screen that asked.
 * GET shows a page and uses nothing up, because mail scanners open links; POST sends the file.
 */
export async function exportsRoutes(app: FastifyInstance, api: EndpointRegistry, deps: Deps): Promise<void> {
  api.serve(endpoints.requestExport, ({ caller, client, now }) => requestExport(deps, caller, client, now))
  const ending = new AbortController()
  app.addHook('preClose', async () => ending.abort())
  const files = {
    ...deps,
    witnessing: deps.settings.record,
    rights: deps.settings.priceRights,
    ending: ending.signal,
  }
  await app.register(async (scope) => {
    showErrorsAsPages(scope)
    ignoreBodies(scope)
    serveMailedLink<ExportLink>(scope, deps, {
      ...DEAD,
      path: EXPORT_PATH,
      lookUp: (token, now) => lookUpExport(deps, token, now),
      page: ({ expiresAt }) => takePage(expiresAt),
      press: (link, asked, now) => send(files, { ...asked, link }, now),
    })
  })
}

async function send(
  deps: Deps & ExportDeps & { ending: AbortSignal },
  { link, reply, request }: { request: FastifyRequest; reply: FastifyReply; link: LiveExport },
  now: Date,
): Promise<FastifyReply> {
  const bytes = await beginFile(deps, link, now)
  // Another request has used it up meanwhile.
  if (bytes === null) return showDead(DEAD, reply, 'taken')
  try {
    const sent = () => endExport(deps, link, clientOf(request), deps.clock.now())
    await sendFile(reply, { name: exportFileName(now), bytes, sent }, deps.ending)
  } catch (error) {
    // The answer has begun: nothing can be said in it any more.
    deps.log.warn(
      { export: link.id, requestId: request.id, reason: reasonOf(error) },
      'a file of data broke off',
    )
  }
  return reply
}
