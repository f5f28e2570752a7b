import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '../test/database.ts'
import { apiDocsRoute } from './api-docs.routes.ts'
import { makeHttpServer } from './platform/http/http-server.ts'
import { readWebDocuments } from './platform/http/web-documents.ts'

const origin = 'https://tradepost.example'
const settings = {
  marketOverride: null,
  platformFeePercent: 10,
  subscription: { priceCents: 1000, currency: 'usd' },
  sandbox: null,
}

test('/docs holds the page of the API, where one library alone may turn text into HTML', async () => {
  const dist = mkdtempSync(join(tmpdir(), 'tradepost-docs-'))
  writeFileSync(join(dist, 'index.html'), '')
  writeFileSync(join(dist, 'docs.html'), '<title>API</title>')
  writeFileSync(join(dist, 'csp.json'), '{"scripts":[],"styles":[]}')
  const app = await makeHttpServer({ log: silentLog, origin, trustProxy: null, limitsOn: false })
  apiDocsRoute(app, { documents: readWebDocuments(settings, origin, dist) })
  const { body, headers, statusCode } = await app.inject({ url: '/docs' })
  expect([statusCode, body]).toEqual([200, '<title>API</title>'])
  expect(String(headers['content-security-policy']).split('; ')).toContain('trusted-types dompurify')
  await app.close()
  rmSync(dist, { recursive: true })
})
