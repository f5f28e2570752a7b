import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { toBase64Url } from '../src/bytes.ts'
import { findReceipts } from '../src/find-receipts.ts'
import { type Act, longHistory } from '../src/test-acts.ts'
import { worldOf } from '../src/test-world.ts'
import { newFolder, run } from './test-process.ts'
import { keys, recordServer } from './test-server.ts'

const acts = longHistory(60)
const SIZE = acts.length
const world = worldOf(acts)
const server = await recordServer(world)
const folder = newFolder()
afterAll(async () => {
  folder.remove()
  await server.close()
})
beforeEach(() => server.serve(world))

const file = (name: string, text: string) => {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}
const linkOf = (bytes: Uint8Array) => `${server.site}/verify#${toBase64Url(bytes)}`
const link = linkOf(world.receipt(SIZE - 1, SIZE))
const other = acts.with(-1, {
  ...(acts.at(-1) as Act),
  text: (acts.at(-1)?.text ?? '').replace('USD",', 'USD" ,'),
})
const forked = worldOf(other)
const keysFile = file('keys.json', JSON.stringify(keys()))

/** As mail programs write it: soft line breaks after 76 characters. */
const quotedPrintable = (text: string) => text.replace(/=/g, '=3D').replace(/(.{75})(?=.)/g, '$1=\r\n')
const eml = `From: a@b.example\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${quotedPrintable(`Verify this signal:`)}\r\n${quotedPrintable(link)}\r\n`

test('a link is part of the record, in a sentence', async () => {
  const { code, words } = await run('verify', [link])
  expect(words).toContain(`This mail is part of the public record of ${new URL(server.site).host} since `)
  expect(words).toContain('1 position of this trader was open then.')
  expect(words).toContain(`Leaf ${SIZE - 1} of ${SIZE}`)
  expect(words).toContain('Nothing contradicts it.')
  expect(code).toBe(0)
})

test('without a network it needs the keys alone, and asks nobody', async () => {
  await expect(run('verify', ['--offline', link])).resolves.toMatchObject({ code: 2 })
  const nobody = `http://nobody.invalid/verify#${link.split('#')[1]}`
  const { code, words } = await run('verify', ['--offline', '--keys', keysFile, nobody])
  expect(words).toContain('This mail is part of the public record of nobody.invalid')
  expect(code).toBe(0)
})

test.each([
  ['mail.eml', eml],
  ['mail.txt', `> See\n> ${link}\n> Bye`],
  [
    'base64.eml',
    `Content-Transfer-Encoding: base64\r\n\r\n${btoa(`<a href="${link}">Verify</a>`).replace(/(.{76})/g, '$1\r\n')}\r\n`,
  ],
  ['broken.txt', `Verify:\n\n${link.replace(/(.{200})/g, '$1\n')}\n\nBye`],
  ['rewritten.txt', `https://gateway.example/?url=${encodeURIComponent(link)}&data=1`],
])('%s is read as it is', async (name, text) => {
  expect(findReceipts(text).map(({ site, bytes }) => `${site}/verify#${toBase64Url(bytes)}`)).toEqual([link])
  const { code, words } = await run('verify', [file(name, text)])
  expect(words).toContain('Nothing contradicts it.')
  expect(code).toBe(0)
})

test('a receipt with a changed letter is false, and a cut one no whole receipt', async () => {
  const changed = linkOf(world.receipt(SIZE - 1, SIZE).with(60, 1))
  expect(await run('verify', [changed])).toMatchObject({
    code: 1,
    words: expect.stringContaining('This receipt is false'),
  })
  expect(await run('verify', [link.slice(0, -50)])).toMatchObject({
    code: 1,
    words: expect.stringContaining('This is no whole receipt.'),
  })
  expect(await run('verify', [file('none.txt', 'Hello')])).toMatchObject({
    code: 2,
    words: expect.stringContaining('There is no receipt in'),
  })
})

test('two mails with one size and two roots convict the operator, without asking', async () => {
  const mails = [link, linkOf(forked.receipt(SIZE - 1, SIZE))]
  const { code, words } = await run('verify', ['--offline', '--keys', keysFile, ...mails])
  expect(words).toMatch(/^A4 {2}The log signed two histories of \d+ leaves/m)
  expect(words).toContain('Keep this mail and these lines')
  expect(code).toBe(1)
})

test('a log that shows another history than the mail is convicted', async () => {
  server.serve(forked)
  const { code, words } = await run('verify', ['--keys', keysFile, '--trader', 'alice', link])
  expect(words).toMatch(/^A4 {2}/m)
  expect(words).toMatch(/^A18 {2}/m)
  expect(code).toBe(1)
})

test('the newest checkpoint is kept, and holds the log to it', async () => {
  const seen = join(folder.path, 'seen')
  expect(await run('verify', ['--seen', seen, '--audit', server.site])).toMatchObject({ code: 0 })
  server.serve(worldOf(acts.slice(0, -2)))
  expect(await run('verify', ['--seen', seen, '--audit', server.site])).toMatchObject({
    code: 1,
    words: expect.stringMatching(/^A3 {2}/m),
  })
})

test('a whole record is audited with the pages of traders', async () => {
  const audit = ['--audit', server.site, '--trader', 'alice,bob,carol']
  const clean = await run('verify', audit)
  expect(clean.words).toContain(`Audited ${SIZE} leaves, signed `)
  expect(clean.words).toContain('and the pages of alice, bob, carol.')
  expect(clean.code).toBe(0)
  const page = world.traders.get('bob')
  if (!page) throw new Error('bob is there')
  server.serve(world, { ...world.source, trader: async () => ({ ...page, open: page.open - 1 }) })
  expect(await run('verify', audit)).toMatchObject({ code: 1, words: expect.stringMatching(/^A15 {2}/m) })
})

test('keys that do not say how many witnesses are asked for check nothing', async () => {
  const { quorum: _, ...others } = keys()
  const incomplete = file('incomplete.json', JSON.stringify(others))
  expect(await run('verify', ['--offline', '--keys', incomplete, link])).toEqual({
    code: 2,
    words: 'These are no keys of a record.\n',
  })
  const two = file('two.json', JSON.stringify(keys(1)))
  expect(await run('verify', ['--offline', '--keys', two, link])).toMatchObject({
    code: 1,
    words: expect.stringContaining('Fewer witnesses signed this receipt than are asked for.'),
  })
})

test('a site that does not answer leaves the receipt true, and an audit without a result', async () => {
  const away = await recordServer(world)
  await away.close()
  const mail = `${away.site}/verify#${link.split('#')[1]}`
  const receipt = await run('verify', ['--keys', keysFile, mail])
  expect(receipt.words).toContain('So nothing was compared with the record of today.')
  expect(receipt.code).toBe(0)
  expect((await run('verify', ['--keys', keysFile, '--audit', away.site])).code).toBe(2)
})
