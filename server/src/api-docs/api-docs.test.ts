import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '../../test/database/database.ts'
import { makeHttpServer } from '../platform/http/http-server.ts'
import { readWebDocuments } from '../platform/http/web-documents.ts'
import { apiDocsRoute } from './api-docs.routes.ts'
import { apiDocsHtml } from './api-docs-html.ts'
import { openApiDocument } from './openapi.ts'

const origin = 'https://tradepost.example'
const settings = {
  marketOverride: null,
  platformFeePercent: 10,
  subscription: { priceCents: 1000, currency: 'usd' },
  sandbox: null,
}

test('/docs holds the calls of the API, on a page where nothing may turn text into HTML', async () => {
  const dist = mkdtempSync(join(tmpdir(), 'tradepost-docs-'))
  writeFileSync(join(dist, 'index.html'), '')
  writeFileSync(join(dist, 'docs.html'), '<title>API</title>__CALLS__<footer></footer>')
  writeFileSync(join(dist, 'csp.json'), '{"scripts":[],"styles":[]}')
  const app = await makeHttpServer({ log: silentLog, origin, trustProxy: null, limitsOn: false })
  apiDocsRoute(app, { documents: readWebDocuments(settings, origin, dist), origin })
  const { body, headers, statusCode } = await app.inject({ url: '/docs' })
  expect(statusCode).toBe(200)
  expect(body).toMatch(
    /^<title>API<\/title><p>Every call but those of the record carries an access token.*<\/details><footer><\/footer>$/s,
  )
  expect(String(headers['content-security-policy']).split('; ')).toContain("trusted-types 'none'")
  expect((await app.inject({ url: '/docs' })).body).toBe(body)
  await app.close()
  rmSync(dist, { recursive: true })
})

type Content = Record<
  string,
  { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }
>
type Call = {
  operationId: string
  tags: string[]
  summary: string
  parameters: { name: string; example: unknown }[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}

/** The names of all fields of a schema, at any depth. */
function fieldsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : []
  return [...own, ...Object.values(schema).flatMap(fieldsIn)]
}

/** As a browser shows it. */
function textOf(html: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' }
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/&(\w+);/g, (_, name) => characters[name] ?? '?')
}

test('of each call of the API document the page shows what it takes, answers and refuses, with every example', () => {
  const document = openApiDocument(origin)
  const sections = apiDocsHtml(document).split('<details class="call">').slice(1)
  const { paths } = document as { paths: Record<string, Record<string, Call>> }
  let count = 0
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, call] of Object.entries(methods)) {
      count += 1
      const html = sections.find((section) => section.includes(`data-try="${call.operationId}"`)) ?? ''
      const text = textOf(html)
      const contents = [call.requestBody, ...Object.values(call.responses)].flatMap((part) =>
        Object.values(part?.content ?? {}),
      )
      const expected = [
        `${method.toUpperCase()}\n${path} ${call.summary.replaceAll('`', '')}`,
        ...call.parameters.flatMap(({ name, example }) => [name, String(example)]),
        ...contents.flatMap(({ example, examples = {} }) =>
          [example, ...Object.values(examples).map(({ value }) => value)]
            .filter((value) => value !== undefined)
            .map((value) => JSON.stringify(value, null, 2)),
        ),
        ...Object.keys(call.responses),
        ...Object.values(call.responses).flatMap(({ description }) =>
          description.replaceAll('`', '').split('\n\n'),
        ),
      ]
      for (const part of expected) expect(text, call.operationId).toContain(part)
      const succeeded = Object.entries(call.responses).flatMap(([status, part]) =>
        status < '300' ? [part] : [],
      )
      for (const { content } of [call.requestBody ?? {}, ...succeeded])
        for (const name of Object.values(content ?? {}).flatMap(({ schema }) => fieldsIn(schema)))
          expect(html, call.operationId).toContain(`<li><code translate="no">${name}</code> <span>`)
    }
  }
  expect(sections).toHaveLength(count)
})

test('calls stand below their topic, in the order of the document', () => {
  const titles = [...apiDocsHtml(openApiDocument(origin)).matchAll(/<h2>(.*?)<\/h2>|id="(\/\w.*?)"/g)]
  const order = titles.map(([, topic, call]) => topic ?? call)
  expect(order.slice(0, 3)).toEqual(['Accounts', '/Accounts/configuration', '/Accounts/setUsername'])
  expect(order.slice(order.indexOf('Live feed'), order.indexOf('Traders'))).toEqual([
    'Live feed',
    '/Live%20feed/feed',
    '/Live%20feed/feedVersion',
  ])
})

test('HTML in a text of the document is text on the page', () => {
  const html = apiDocsHtml({
    info: { description: 'See <script>' },
    tags: [{ name: 'A&B' }],
    paths: {
      '/<path>': {
        post: {
          operationId: 'a',
          tags: ['A&B'],
          summary: 'Sums <b>up</b>',
          parameters: [
            {
              name: '<name>',
              in: 'query',
              required: false,
              schema: { type: 'string', description: '<i>which</i>', pattern: '<.>' },
              example: '<example>',
            },
          ],
          requestBody: {
            description: '<u>body</u>',
            content: {
              'text/<type>': {
                schema: { properties: { '<field>': { enum: ['<one>'], description: '<em>' } } },
                example: { a: '</pre>' },
              },
            },
          },
          responses: { 200: { description: '<s>done</s>' } },
        },
      },
    },
  })
  const made = /^(p|code|details|summary|div|label|input|h2|h3|span|ul|li|pre|dl|dt|dd|button)$/
  const elements = [...html.matchAll(/<(\w+)/g)].map(([, name = '']) => name)
  expect(elements.filter((name) => !made.test(name))).toEqual([])
  expect(html).toContain('&lt;/pre&gt;')
  expect(html).toContain('<h2>A&amp;B</h2>')
})

test('no name and no code is handed to a translator', () => {
  const html = apiDocsHtml(openApiDocument(origin))
  expect(html.match(/<code translate="no">account_suspended<\/code>/g)?.length).toBeGreaterThan(20)
  expect(html.match(/<(?:code|pre)(?! translate="no")[^>]*>/g)).toBeNull()
})
