import { webPaths } from '@tradepost/contract/web-paths'
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from './openapi.ts'
import type { WebDocuments } from './platform/http/web-documents.ts'

/** `/openapi.json` for programs: the calls of the contract, made once at start. */
export function openApiRoute(app: FastifyInstance, deps: { origin: string }): void {
  const document = openApiDocument(deps.origin)
  app.get('/openapi.json', (_request, reply) => reply.send(document))
}

/**
 * `/docs` for people: the same, drawn by a script that no other page loads. Its policy is that of the app's documents but for
 * one word: the library that cleans HTML in it may make its own policy for that, since it would complain otherwise
 * (decision 0041).
 */
export function apiDocsRoute(app: FastifyInstance, { documents }: { documents: WebDocuments }): void {
  const page = documents.read('docs.html')
  app.get(webPaths.apiDocs, (_request, reply) => documents.send(reply, page, { trustedTypes: 'dompurify' }))
}
