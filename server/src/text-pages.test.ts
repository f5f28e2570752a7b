import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { silentLog } from '../test/database/database.ts'
import { makeHttpServer } from './platform/http/http-server.ts'
import { readWebDocuments } from './platform/http/web-documents.ts'
import { warnOfMissingTexts } from './platform/operator-texts.ts'
import { textPagesRoutes } from './text-pages.routes.ts'

const origin = 'https://tradepost.example'
const settings = {
  marketOverride: null,
  platformFeePercent: 10,
  subscription: { priceCents: 1000, currency: 'usd' },
  sandbox: null,
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A folder with these files. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-texts-'))
  closing.push(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** @returns what an address answers where the operator's texts are in `folder` */
async function serve(folder: string | null) {
  const dist = folderWith({
    'index.html': '',
    'text.html': '<title>__TITLE__</title><article>__TEXT__</article>',
    'csp.json': '{"scripts":[],"styles":[]}',
  })
  const app = await makeHttpServer({ log: silentLog, origin, trustProxy: null, limitsOn: false })
  closing.push(() => app.close())
  textPagesRoutes(app, { documents: readWebDocuments(settings, origin, dist), folder })
  return (url: string) => app.inject({ url })
}

test("the operator's texts are shown in place of those that come with the product, one by one", async () => {
  const open = await serve(folderWith({ 'terms.md': '# Our terms\n\nSee [the law](https://law.example).' }))
  expect((await open('/terms')).body).toBe(
    '<title>Terms</title><article><h1>Our terms</h1>\n<p>See <a href="https://law.example">the law</a>.</p>\n<p>These terms are version <span translate="no">62416c7f13d2</span>.</p>\n</article>',
  )
  expect((await open('/privacy')).body).toContain('has not published a privacy notice yet')
  expect((await open('/contact')).body).toContain('<em>Account &gt; Feedback</em>')
})

test('without a folder each page states that the operator has published nothing', async () => {
  const open = await serve(null)
  for (const path of ['/terms', '/privacy', '/contact']) {
    const { body, headers, statusCode } = await open(path)
    expect(statusCode).toBe(200)
    expect(body).toContain('This is the text that Tradepost brings with it')
    // Customers read it: no file, folder or command is theirs.
    expect(body).not.toMatch(/\.md|docs\/|TEXTS_DIR|npm run|<code>/)
    expect(headers['content-security-policy']).toContain("trusted-types 'none'")
  }
})

test('the built-in terms name the ways out as the page before paying does, both intervals, and that real money needs other terms', async () => {
  const { body } = await (await serve(null))('/terms')
  expect(body).toContain(
    'For 14 days from your first payment you can withdraw: your access ends at once, and you get back the part for the days that are left, or everything if the trader has published nothing since.',
  )
  expect(body).toMatch(/While it\s+stands here nobody can subscribe with real money/)
  expect(body).toContain('renews each month or each year')
  expect(body).not.toMatch(/no contract|month to month/)
})

test('a text is never markup: HTML in it is shown as written, and no link runs a script', async () => {
  const open = await serve(
    folderWith({
      'terms.md': '<script>alert(1)</script> <b onclick="x">b</b> [a](javascript:alert(1)) $& $`',
    }),
  )
  const { body } = await open('/terms')
  expect(body).not.toMatch(/<script|<b |href="javascript/)
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(body).toContain('[a](javascript:alert(1)) $&amp; $`')
})

test('a folder that is not there stops the start', async () => {
  await expect(serve('/no/such/folder')).rejects.toThrow('TEXTS_DIR names a folder that is not there')
})

test('a start of a production without texts of its own warns once, with the variable and the files', () => {
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push(line) })
  const folder = folderWith({ 'terms.md': '# Ours', 'contact.md': '# Ours' })
  warnOfMissingTexts({ NODE_ENV: 'development' }, log)
  warnOfMissingTexts({ NODE_ENV: 'production', TEXTS_DIR: folder }, log)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      variable: 'TEXTS_DIR',
      missing: ['privacy.md'],
      msg: 'readers see built-in texts: the operator has none of these',
    },
  ])
})
