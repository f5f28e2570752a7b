import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { askForFile, pressLink, readFile, takeFile } from '../../../test/exports.ts'
import { call, makeTrader, readTables } from '../../../test/factories.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { secondFactor } from '../../../test/sign-in/second-factor.ts'
import { bearer, signIn } from '../../../test/sign-in/sign-in.ts'
import { suspendPerson } from '../../accounts/suspend-person.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const { clock, db, settings } = testApp
const deps = { db, secret: makeSecretKey(settings.authSecret) }
afterAll(() => testApp.close())
beforeEach(() => clock.set(TEST_NOW))

/** Has files stop at a table, until the end of the block. */
async function holdTable(table: string): Promise<AsyncDisposable> {
  const client = await testApp.pool.connect()
  await client.query('begin')
  await client.query(`lock table ${table} in access exclusive mode`)
  return {
    async [Symbol.asyncDispose]() {
      await client.query('rollback')
      client.release()
    },
  }
}

const open = (path: string) => testApp.app.inject({ url: path })
const ask = (who: Parameters<typeof askForFile>[1]) => call(testApp, who, 'POST', '/v1/accounts/export')

test('one press makes a link, which the answer and a mail hold, and which gives the file once', async () => {
  const maria = await makeTrader(testApp, 'maria')
  const { body, status } = await ask(maria)
  expect({ status, ...body }).toEqual({
    status: 201,
    path: expect.stringMatching(/^\/mail\/export\/[\w-]{64}$/),
    expiresAt: '2026-03-04T16:00:00.000Z',
  })
  const path = String(body.path)
  const [mail] = await takeMails(testApp, ['export_ready'])
  expect(mail).toMatchObject({ to: maria.email, subject: 'Your Tradepost data is ready to download' })
  expect(mail?.text).toContain(`${settings.origin}${path}`)
  expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain('If you did not ask for it, somebody else has access')

  const file = await pressLink(testApp, path)
  expect(file.statusCode).toBe(200)
  expect(file.headers).toMatchObject({
    'content-type': 'application/zip',
    'content-disposition': 'attachment; filename="tradepost-data-2026-03-04.zip"',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  expect(readFile(file.rawPayload).of('account')).toMatchObject([{ email: maria.email, username: 'maria' }])

  for (const again of [await pressLink(testApp, path), await open(path)])
    expect([again.statusCode, again.body]).toEqual([410, expect.stringContaining('was downloaded already')])
  const entries = await db
    .selectFrom('audit_log')
    .select(['action', 'session_id'])
    .where('user_id', '=', maria.userId)
    .orderBy('id')
    .execute()
  expect(entries).toEqual([
    { action: 'export_requested', session_id: maria.sessionId },
    { action: 'export_taken', session_id: null },
  ])
})

test('opening the link shows one button and uses nothing up, however often a scanner does, with HEAD too', async () => {
  const path = await askForFile(testApp, await makeTrader(testApp))
  const before = await readTables(testApp)
  for (let nth = 0; nth < 4; nth += 1) {
    const page = await open(path)
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.body).toContain('<form method="post"><button type="submit">Download</button></form>')
    expect(page.body).toContain('16:00 UTC')
    expect((await testApp.app.inject({ method: 'HEAD', url: path })).statusCode).toBe(200)
  }
  expect(await readTables(testApp)).toEqual(before)
  expect((await pressLink(testApp, path)).statusCode).toBe(200)
})

test('a link counts for an hour, to the millisecond', async () => {
  const person = await makeTrader(testApp)
  const [first, second] = [
    await askForFile(testApp, person),
    await askForFile(testApp, await makeTrader(testApp)),
  ]
  clock.advance(HOUR_MS - 1)
  expect((await pressLink(testApp, first)).statusCode).toBe(200)
  clock.advance(1)
  const late = await pressLink(testApp, second)
  expect([late.statusCode, late.body]).toEqual([410, expect.stringContaining('This link has expired')])
})

test('a newer link ends the one before, so that none waits for another', async () => {
  const person = await makeTrader(testApp)
  const first = await askForFile(testApp, person)
  const second = await askForFile(testApp, person)
  const old = await pressLink(testApp, first)
  expect([old.statusCode, old.body]).toEqual([410, expect.stringContaining('There is a newer link')])
  expect((await pressLink(testApp, second)).statusCode).toBe(200)
})

test('three files are asked for within a day; the next one when the first is a day old', async () => {
  const person = await makeTrader(testApp)
  await askForFile(testApp, person)
  clock.advance(MINUTE_MS)
  await askForFile(testApp, person)
  await askForFile(testApp, person)
  const before = await readTables(testApp)
  const refused = await testApp.app.inject({
    method: 'POST',
    url: '/v1/accounts/export',
    headers: bearer(person.token),
  })
  expect([refused.statusCode, refused.json().code, refused.headers['retry-after']]).toEqual([
    429,
    'too_many_exports',
    '86340',
  ])
  expect(await readTables(testApp)).toEqual(before)
  // As the purge runs meanwhile, which keeps what counts.
  clock.advance(DAY_MS - MINUTE_MS)
  await runPurges(testApp)
  await testApp.pool.query('update sessions set reauthenticated_at = $1 where id = $2', [
    clock.now(),
    person.sessionId,
  ])
  expect((await ask(person)).status).toBe(201)
  expect((await ask(person)).body.code).toBe('too_many_exports')
})

test('of ten requests at once three make a link, and one of those is left', async () => {
  const person = await makeTrader(testApp)
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(person)))
  const paths = answers.flatMap(({ body, status }) => (status === 201 ? [String(body.path)] : []))
  expect(paths).toHaveLength(3)
  const pages = await Promise.all(paths.map(open))
  expect(pages.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
})

test('a session in which the mailbox was proved more than five minutes ago gives a mailed code first', async () => {
  const person = await signIn(testApp)
  clock.advance(5 * MINUTE_MS)
  await askForFile(testApp, person)
  clock.advance(1)
  const before = await readTables(testApp)
  expect(await ask(person)).toMatchObject({ status: 409, body: { code: 'reauthentication_needed' } })
  expect(await readTables(testApp)).toEqual(before)
})

test('somebody with a second factor asks from a session that was confirmed with it', async () => {
  const wire = authWire(testApp)
  const email = 'two-steps@example.com'
  const { factor } = await secondFactor(testApp, wire).join(email)
  const url = '/v1/accounts/export'
  // A code of the app counts once.
  clock.advance(MINUTE_MS)
  const unconfirmed = await wire.enter(email)
  const ask = (token: string) => testApp.app.inject({ method: 'POST', url, headers: bearer(token) })
  const refused = await ask(unconfirmed.access_token)
  expect([refused.statusCode, refused.json().code]).toEqual([401, 'second_factor_required'])
  const confirmed = await secondFactor(testApp, wire).confirm(unconfirmed.access_token, factor)
  const path = (await ask(confirmed.access_token)).json().path
  const file = readFile((await pressLink(testApp, path)).rawPayload)
  expect(file.of('second_factors')).toMatchObject([
    { id: factor.id, status: 'verified', factor_type: 'totp' },
  ])
  expect(file.textOf('data.json')).not.toContain(factor.secret)
})

test('a link that we did not make leads nowhere, and gives nobody else’s file', async () => {
  const [mine, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  const path = await askForFile(testApp, mine)
  const token = path.split('/').at(-1) ?? ''
  const { rows } = await testApp.pool.query('select id from exports where user_id = $1', [mine.userId])
  const others = await askForFile(testApp, other)
  // The id of one link with the proof of another.
  const mixed = Buffer.from(others.split('/').at(-1) ?? '', 'base64url')
  Buffer.from(String(rows[0].id).replaceAll('-', ''), 'hex').copy(mixed)
  const forged = [
    mixed.toString('base64url'),
    `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`,
    'x',
  ]
  for (const each of forged) {
    const answer = await pressLink(testApp, `/mail/export/${each}`)
    expect([answer.statusCode, answer.body]).toEqual([404, expect.stringContaining('leads nowhere')])
  }
})

test('no row holds the secret of a link', async () => {
  const path = await askForFile(testApp, await makeTrader(testApp))
  const rows = [
    await db.selectFrom('outbox').selectAll().execute(),
    await db.selectFrom('exports').selectAll().execute(),
    await db.selectFrom('audit_log').selectAll().execute(),
  ]
  expect(JSON.stringify(rows)).not.toContain(path.split('/').at(-1))
})

test('somebody who is suspended, or signed out, gets the file that they asked for', async () => {
  const person = await makeTrader(testApp)
  const path = await askForFile(testApp, person)
  await suspendPerson(deps, person.email, 'Deceives followers.', clock.now())
  expect(await ask(person)).toMatchObject({ status: 403, body: { code: 'account_suspended' } })
  const file = readFile((await pressLink(testApp, path)).rawPayload)
  expect(file.of('suspensions')).toMatchObject([{ reason: 'Deceives followers.', restored_at: null }])
})

test('a download that breaks off may be begun again, three times in all', async () => {
  await using own = await buildTestApp({ database: testApp, clock, settings: { limitsOn: false } })
  const person = await makeTrader(testApp)
  const path = await askForFile(testApp, person)
  await own.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = own.app.server.address() as { port: number }
  for (let nth = 0; nth < 2; nth += 1) {
    await using _held = await holdTable('feedback')
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\n\r\n`)
    await new Promise((done) => socket.once('data', done))
    socket.resetAndDestroy()
  }
  const { rows } = await testApp.pool.query('select begins, taken_at from exports where user_id = $1', [
    person.userId,
  ])
  expect(rows).toEqual([{ begins: 2, taken_at: null }])
  expect((await open(path)).statusCode).toBe(200)
  await testApp.pool.query('update exports set begins = 3 where user_id = $1', [person.userId])
  const over = await pressLink(testApp, path)
  expect([over.statusCode, over.body]).toEqual([410, expect.stringContaining('broke off too often')])
})

test('an answer that fails on its way breaks off: nobody takes the part for the whole', async () => {
  await using own = await buildTestApp({ database: testApp, clock, settings: { limitsOn: false } })
  const person = await makeTrader(testApp)
  const path = await askForFile(testApp, person)
  await own.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = own.app.server.address() as { port: number }
  await testApp.pool.query('alter table trader_income_months rename to gone_months')
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST' })
    expect(answer.status).toBe(200)
    await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
  } finally {
    await testApp.pool.query('alter table gone_months rename to trader_income_months')
  }
  const whole = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST' })
  expect(readFile(new Uint8Array(await whole.arrayBuffer())).of('account')).toHaveLength(1)
})

test('a process that closes ends the files on their way', async () => {
  const own = await buildTestApp({ database: testApp, clock, settings: { limitsOn: false } })
  const person = await makeTrader(testApp)
  const path = await askForFile(testApp, person)
  await own.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = own.app.server.address() as { port: number }
  {
    await using _held = await holdTable('feedback')
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\n\r\n`)
    const taken = text(socket).catch(() => 'cut')
    await new Promise((done) => socket.once('readable', done))
    await own.close()
    expect(await taken).not.toMatch(/\r\n0\r\n\r\n$/)
  }
  expect((await takeFile(testApp, await makeTrader(testApp))).of('account')).toHaveLength(1)
})
