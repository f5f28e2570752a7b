import { webPaths } from '@tradepost/contract/web-paths'
import type { FastifyInstance } from 'fastify'
import type { WebDocuments } from '../platform/http/web-documents.ts'
import { apiDocsHtml } from './api-docs-html.ts'
import { openApiDocument } from './openapi.ts'

/**
 * `/openapi.json` for programs: the calls of the contract. Made when it is first asked for: that takes a tenth of a second, for which no
 * start has to wait.
 */
export function openApiRoute(app: FastifyInstance, deps: { origin: string }): void {
  let document: object | null = null
  app.get('/openapi.json', (_request, reply) => {
    document ??= openApiDocument(deps.origin)
    return reply.send(document)
  })
}

/** `/docs` for people: the same as HTML (ADR 0095), made as late. */
export function apiDocsRoute(app: FastifyInstance, deps: { documents: WebDocuments; origin: string }): void {
  const frame = deps.documents.read('docs.html')
  let page: string | null = null
  app.get(webPaths.apiDocs, (_request, reply) => {
    page ??= frame.replace('__CALLS__', () => apiDocsHtml(openApiDocument(deps.origin)))
    return deps.documents.send(reply, page)
  })
}
