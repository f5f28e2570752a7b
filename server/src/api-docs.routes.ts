import { ENDPOINT_SUMMARIES } from '@tradepost/contract/endpoint-summaries'
import { type Endpoint, endpoints } from '@tradepost/contract/endpoints'
import { REFUSALS } from '@tradepost/contract/errors'
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from './openapi.ts'

/** `/openapi.json` for programs and `/docs` for people: the calls of the contract, made once at start. */
export function apiDocsRoutes(app: FastifyInstance, deps: { origin: string }): void {
  const document = openApiDocument(deps.origin)
  const page = docsPage()
  app.get('/openapi.json', (_request, reply) => reply.send(document))
  app.get('/docs', (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
}

function docsPage(): string {
  const names = Object.keys(endpoints) as (keyof typeof endpoints)[]
  const calls = names.map((name) => callSection(ENDPOINT_SUMMARIES[name], endpoints[name])).join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>Tradepost API</title></head><body><main><h1>Tradepost API</h1>
<p>Every call carries <code>Authorization: Bearer &lt;access token&gt;</code>. The same as data:
<a href="/openapi.json">openapi.json</a>.</p>${calls}</main></body></html>`
}

function callSection(summary: string, endpoint: Endpoint): string {
  const refusals = endpoint.refusals
    .map(
      (code) =>
        `<li><code>${code}</code> (${REFUSALS[code].status}): ${escapeHtml(REFUSALS[code].message)}</li>`,
    )
    .join('')
  return `<h2><code>${endpoint.method} ${endpoint.path}</code></h2><p>${escapeHtml(summary)}</p>
${refusals && `<p>Refusals of this call:</p><ul>${refusals}</ul>`}`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
