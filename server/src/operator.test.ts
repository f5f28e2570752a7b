import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../test/build-test-app.ts'
import { call, makeTrader } from '../test/factories.ts'
import { nodeEnvironment } from '../test/processes/node-environment.ts'
import { authWire, wrongCode } from '../test/sign-in/auth-wire.ts'
import { authenticatorCode } from '../test/sign-in/authenticator.ts'
import { bearer, signIn } from '../test/sign-in/sign-in.ts'
import { countUnread, insertReport } from './mail/reports/reports.queries.ts'
import { insertRefusal, suppressAddress } from './mail/suppressions/suppressions.queries.ts'

const run = promisify(execFile)

/** The command as an operator types it, against the test's database. */
async function operator(testApp: TestApp, ...words: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'operator.ts'), ...words], {
    cwd: import.meta.dirname,
    env: {
      ...nodeEnvironment,
      NODE_ENV: 'test',
      DATABASE_URL: testApp.url,
      AUTH_SECRET: testApp.settings.authSecret,
    },
  })
  return stdout
}

test('the operator rotates keys and reseals secrets by command', async () => {
  await using testApp = await buildTestApp({ now: new Date() })
  await authWire(testApp).enter('ada@example.com')
  expect(await operator(testApp, 'keys:rotate')).toMatch(/^Published a new key; it signs from .*Z\.\n$/)
  expect(await operator(testApp, 'keys:rotate')).toMatch(/^A new key is already published; /)
  expect(await operator(testApp, 'secrets:reseal')).toBe(
    'Sealed 0 again; 0 are under a secret that is not in AUTH_SECRET.\n',
  )
  expect(await testApp.db.selectFrom('signing_keys').select('state').orderBy('state').execute()).toEqual([
    { state: 'published' },
    { state: 'signing' },
  ])
})

test('the operator sees who is not mailed any more, and lifts it for one or for all', async () => {
  await using testApp = await buildTestApp()
  const { db, clock } = testApp
  expect(await operator(testApp, 'suppressions')).toBe('Nobody is suppressed.\n')
  const people: [email: string, thenMs: number][] = [
    ['ada@example.com', 1000],
    ['eve@example.com', 0],
    ['bob@example.com', 0],
  ]
  for (const [email, thenMs] of people) {
    const { userId } = await signIn(testApp, { email })
    const refused = { userId, replyCode: 550, status: '5.1.1' }
    await insertRefusal(db, { userId, traderId: userId, eventNo: 1 }, clock.now())
    await suppressAddress(db, refused, clock.now())
    clock.advance(thenMs)
  }
  // Newest first, and of one instant by address.
  const lines = (await operator(testApp, 'suppressions')).trim().split('\n')
  expect(lines).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT\S+Z {2}refused {2}550 {2}5\.1\.1 {2}bob@example\.com$/),
    expect.stringContaining('eve@example.com'),
    expect.stringContaining('ada@example.com'),
  ])
  await expect(operator(testApp, 'suppressions', 'lift')).rejects.toThrow('Say `lift` and a mail address')
  await expect(operator(testApp, 'suppressions', 'drop')).rejects.toThrow('Say `lift` and a mail address')
  expect(await operator(testApp, 'suppressions', 'lift', 'nobody@example.com')).toBe('Lifted 0.\n')
  expect(await operator(testApp, 'suppressions', 'lift', ' Bob@Example.com ')).toBe('Lifted 1.\n')
  expect(await operator(testApp, 'suppressions')).not.toContain('bob@')
  expect(await operator(testApp, 'audit')).toContain('suppression_lifted')
  expect(await operator(testApp, 'suppressions', 'lift', 'all')).toBe('Lifted 2.\n')
  expect(await operator(testApp, 'suppressions')).toBe('Nobody is suppressed.\n')
  expect(await db.selectFrom('mail_refusals').selectAll().execute()).toEqual([])
})

test('the operator removes the factors of somebody who lost their authenticator', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  const { access_token: token } = await wire.enter('ada@example.com')
  const enrolled = await wire.call('POST', '/factors', { token, body: { factor_type: 'totp' } })
  const { id, totp } = enrolled.body as { id: string; totp: { secret: string } }
  const challenge = await wire.call('POST', `/factors/${id}/challenge`, { token, body: {} })
  const code = authenticatorCode(totp.secret, testApp.clock.now())
  const body = { challenge_id: challenge.body.id, code }
  const raised = await wire.call('POST', `/factors/${id}/verify`, { token, body })
  const levels = async () =>
    (await testApp.db.selectFrom('sessions').select('aal').orderBy('created_at').execute()).map(
      ({ aal }) => aal,
    )
  expect(await levels()).toEqual(['aal2'])
  testApp.clock.advance(1000)
  const entered = await wire.enter('ada@example.com')
  const status = async (accessToken: string) =>
    (await testApp.app.inject({ url: '/v1/accounts/configuration', headers: bearer(accessToken) })).statusCode
  expect(await status(entered.access_token)).toBe(401)

  expect(await operator(testApp, 'factors:remove', ' Ada@example.com')).toBe('Removed 1.\n')
  expect(await levels()).toEqual(['aal1', 'aal1'])
  expect(await status(entered.access_token)).toBe(200)
  expect(await status(String(raised.body.access_token))).toBe(200)
  expect((await wire.user(entered.access_token)).body.factors ?? []).toEqual([])
  expect(await operator(testApp, 'audit', 'ada@example.com')).toContain(`${id} by operator`)

  expect(await operator(testApp, 'factors:remove', 'ada@example.com')).toBe('Removed 0.\n')
  await expect(operator(testApp, 'factors:remove')).rejects.toThrow('That is not a mail address.')
  await expect(operator(testApp, 'factors:remove', 'nobody@example.com')).rejects.toThrow(
    'Nobody has signed in with that address.',
  )
})

test('the operator sets positions right after a split, and closes those in a stock that is gone', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  expect(await operator(testApp, 'positions:adjust', 'split', 'NVDA', '10:1', '2026-03-05')).toBe(
    'Adjusted 0 positions.\n',
  )
  expect(await operator(testApp, 'positions:adjust', 'delisted', 'GONE', '12.50')).toBe(
    'Closed 0 positions; 0 were opened today and can be closed tomorrow.\n',
  )
  await expect(operator(testApp, 'positions:adjust', 'split')).rejects.toThrow('That is not a ticker.')
  await expect(operator(testApp, 'positions:adjust', 'void', 'GONE')).rejects.toThrow(
    'Say `split`, `delisted` or `price`.',
  )
})

test('the operator reads who did what from where, by person, without secrets or addresses', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  await wire.enter('grace@example.com')
  const mail = await wire.mailTo('ada@example.com')
  await wire.verify('ada@example.com', wrongCode(mail.code), '192.0.2.7')
  const { body } = await wire.verify('ada@example.com', mail.code, '192.0.2.8')
  const session = body as unknown as { access_token: string; refresh_token: string }
  const next = await wire.refresh(session.refresh_token)
  await wire.refresh(String(next.body.refresh_token))
  await wire.refresh(session.refresh_token)
  const again = await wire.enter('ada@example.com')
  await wire.call('PUT', '/user', { token: again.access_token, body: { data: { secret: 'canary-data' } } })
  await wire.signOut(again.access_token, 'others')

  const listed = await operator(testApp, 'audit', 'Ada@example.com')
  const actions = listed
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[1])
  expect(actions).toEqual([
    'signed_out',
    'user_updated',
    'signed_in',
    'code_requested',
    'token_replayed',
    'signed_in',
    'code_refused',
    'code_requested',
  ])
  expect(listed).toContain('192.0.2.7')
  expect(listed).toContain('192.0.2.8')
  const everybody = await operator(testApp, 'audit')
  expect(everybody.trim().split('\n')).toHaveLength(actions.length + 2)
  for (const canary of ['@example', mail.code, mail.tokenHash, session.refresh_token, 'canary-data']) {
    expect(everybody).not.toContain(canary)
  }
  await expect(operator(testApp, 'audit', 'nobody')).rejects.toThrow('not a mail address')
  await expect(operator(testApp)).rejects.toThrow('Say what to do')
})

test('the operator reads feedback with its authors, newest first, fifty at a time', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  expect(await operator(testApp, 'feedback')).toBe('Nothing.\n')
  const [maria, nameless] = [await makeTrader(testApp, 'maria'), await signIn(testApp)]
  for (let number = 1; number <= 53; number += 1) {
    testApp.clock.advance(1000)
    const sent = await call(testApp, maria, 'POST', '/v1/feedback', { feedback: `Remark number ${number}.` })
    expect(sent.status).toBe(201)
  }
  // At the same instant, and with what would turn a terminal red and clear it.
  await call(testApp, nameless, 'POST', '/v1/feedback', {
    feedback: 'Two lines:\r\n\u001b[31mred \u001b[2Jümlaut',
  })

  const first = await operator(testApp, 'feedback')
  const heads = (output: string) => output.split('\n').filter((line) => /^2026-/.test(line))
  expect(first).toMatch(
    new RegExp(
      `^2026-03-04T15:00:53\\.000Z  -  ${nameless.email}  [0-9a-f-]{36}\n  Two lines:\n  \\[31mred \\[2Jümlaut\n\n2026-`,
    ),
  )
  expect(heads(first)).toHaveLength(50)
  expect(first).toContain(`2026-03-04T15:00:53.000Z  maria  ${maria.email}`)
  expect(first).toContain('  Remark number 53.')
  const next = /\nOlder: npm run operator -- feedback ([0-9a-f-]{36})\n$/.exec(first)?.[1] ?? ''
  const second = await operator(testApp, 'feedback', next)
  expect(heads(second)).toHaveLength(4)
  expect(second.match(/Remark number \d+/g)).toEqual([4, 3, 2, 1].map((number) => `Remark number ${number}`))
  expect(second).not.toContain('Older:')
  await expect(operator(testApp, 'feedback', 'nonsense')).rejects.toThrow('That is not the id of an entry.')
})

test('the operator sees what came back of mails, by kind and domain and without an address', async () => {
  await using testApp = await buildTestApp({ now: new Date() })
  const { clock, db } = testApp
  expect(await operator(testApp, 'reports')).toBe(
    'Nothing was reported within 7 days.\nThe mailbox of reports: not read yet.\n',
  )
  const report = async (email: string, mail: number) => {
    const { userId: readerId } = await signIn(testApp, { email })
    const bounce = {
      kind: 'bounce',
      topic: 'positions',
      about: 'policy',
      status: '5.7.1',
      smtpCode: 550,
    } as const
    const tag = Buffer.alloc(4, mail)
    await insertReport(
      db,
      { report: { ...bounce, readerId, tag }, source: 'mailbox', counts: false },
      clock.now(),
    )
  }
  await report('ada@example.com', 1)
  await report('bob@example.com', 2)
  await report('eve@other.example', 3)
  await countUnread(db, { source: 'mailbox', reason: 'no report' }, clock.now())
  const at = new Date().toISOString().slice(0, 10)
  const listed = await operator(testApp, 'reports')
  expect(listed.replaceAll(/\S+Z/g, 'at').replaceAll(/^\d{4}-\d\d-\d\d/gm, 'day')).toBe(
    [
      'at  bounce  policy  5.7.1  example.com  2',
      'at  bounce  policy  5.7.1  other.example  1',
      'day  held against nobody (no report, mailbox)  1',
      'The mailbox of reports: not read yet.\n',
    ].join('\n'),
  )
  expect(listed).toContain(at)
  expect(listed).not.toContain('ada')
})

test('without a command each is listed with its words in one column', async () => {
  await using testApp = await buildTestApp()
  const failed = await operator(testApp).then(
    () => assert.fail('it must say what to type'),
    ({ stderr }: { stderr: string }) => stderr,
  )
  const [first, ...lines] = failed.trimEnd().split('\n')
  expect(first).toBe('Say what to do:')
  const columns = lines.map((line) => /^ {2}\S+ {2,}(?=\S)/.exec(line)?.[0].length)
  expect(new Set(columns)).toEqual(new Set([columns[0]]))
  expect([columns[0], lines.length > 20]).toEqual([22, true])
})
