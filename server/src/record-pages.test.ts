import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../test/database/database.ts'
import { makeHttpServer } from './platform/http/http-server.ts'
import { readWebDocuments } from './platform/http/web-documents.ts'
import { type RecordSource, recordPagesRoutes } from './record-pages.routes.ts'

const origin = 'https://tradepost.example'
const settings = {
  marketOverride: null,
  platformFeePercent: 10,
  subscription: { priceCents: 1000, currency: 'usd' },
  sandbox: null,
}
const dist = mkdtempSync(join(tmpdir(), 'tradepost-record-pages-'))
afterAll(() => rmSync(dist, { recursive: true }))
writeFileSync(join(dist, 'index.html'), '')
writeFileSync(join(dist, 'verify.html'), '<script type="application/json">__RECORD_KEYS__</script>')
writeFileSync(join(dist, 'record.html'), '<h1>The record</h1>__STATE__')
writeFileSync(join(dist, 'csp.json'), '{"scripts":[],"styles":[]}')

async function ask(path: string, record: Partial<RecordSource>) {
  const app = await makeHttpServer({ log: silentLog, origin, trustProxy: null, limitsOn: false })
  const documents = readWebDocuments(settings, origin, dist)
  const none: RecordSource = { keys: async () => null, state: async () => null }
  const clock = { now: () => new Date('2026-11-26T15:03:00Z') }
  recordPagesRoutes(app, { clock, documents, record: { ...none, ...record } })
  const answer = await app.inject({ url: path })
  await app.close()
  return answer
}

test('/verify holds the keys of the record as data that no name can break out of', async () => {
  const keys = { origin: 'a</script>', log: ['log+1+x'], witnesses: [], quorum: 0 }
  const { body, headers, statusCode } = await ask('/verify', { keys: async () => keys })
  expect(statusCode).toBe(200)
  expect(body).toBe(
    '<script type="application/json">{"origin":"a\\u003c/script>","log":["log+1+x"],"witnesses":[],"quorum":0}</script>',
  )
  expect(headers['content-security-policy']).toContain("connect-src 'self'")
  expect(headers['content-security-policy']).toMatch(/trusted-types service-worker$/)
  expect((await ask('/verify', {})).body).toContain('>null<')
})

test('/record says how long the record is, how old its signature and who witnessed it', async () => {
  const signedAt = Date.UTC(2026, 10, 26, 15, 2, 48) / 1000
  const state = async () => ({ size: 24_640, signedAt, witnesses: 2 })
  expect((await ask('/record', { state })).body).toContain(
    '<strong>24,640 entries, signed 12 s ago, 2 witnesses</strong>',
  )
})

test('/record is there before the record has begun, and while it cannot be read', async () => {
  expect((await ask('/record', {})).body).toContain('The record has not begun yet.')
  const broken = await ask('/record', { state: () => Promise.reject(new Error('no database')) })
  expect(broken.statusCode).toBe(200)
})

test('the three programs are downloads below /record, byte for byte those of the repository', async () => {
  for (const name of ['verify.mjs', 'witness.mjs', 'mirror.mjs']) {
    const { headers, rawPayload, statusCode } = await ask(`/record/${name}`, {})
    expect(statusCode).toBe(200)
    expect(rawPayload.equals(readFileSync(join(import.meta.dirname, '../../record/built', name)))).toBe(true)
    expect(headers['content-disposition']).toBe(`attachment; filename="${name}"`)
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
  }
})
