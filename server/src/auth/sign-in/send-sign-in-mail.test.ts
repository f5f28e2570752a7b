import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { hurryMails, waitingMails } from '../../../test/run-outbox.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'

test('code and link exist in the mail alone; the tables hold hashes', async () => {
  await using testApp = await buildTestApp()
  const { code, tokenHash } = await authWire(testApp).mailTo('ada@example.com')
  const rows = await testApp.db.selectFrom('otp_challenges').selectAll().execute()
  const mails = await testApp.db.selectFrom('outbox').selectAll().execute()
  expect(mails).toHaveLength(1)
  expect(JSON.stringify(mails)).not.toContain('ada@')
  const stored = JSON.stringify([rows, mails], (_key, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  )
  expect(stored).not.toContain(`"${code}"`)
  expect(stored).not.toContain(tokenHash)
})

test('while the mail server is down nothing is lost, and a later try draws new secrets', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  await wire.otp('ada@example.com')
  const waiting = () => testApp.db.selectFrom('otp_challenges').selectAll().executeTakeFirstOrThrow()
  expect(await deliverSignInMails(testApp, { refuse: true })).toEqual([])
  const first = await waiting()
  const [mail1] = await waitingMails(testApp.db)
  expect(mail1).toMatchObject({ fault: expect.not.stringContaining('ada@'), tries: 1 })
  expect(mail1?.due_at.getTime()).toBeCloseTo(testApp.clock.now().getTime() + 2718, -1)
  expect(mail1?.expires_at).toEqual(new Date(testApp.clock.now().getTime() + 240_000))
  await hurryMails(testApp.db)
  testApp.clock.advance(60_000)
  const [mail] = await deliverSignInMails(testApp)
  const second = await waiting()
  expect(second.link_sha256).not.toEqual(first.link_sha256)
  expect(second.code_expires_at.getTime()).toBe(first.code_expires_at.getTime() + 60_000)
  expect((await wire.verify('ada@example.com', mail?.code ?? '')).status).toBe(200)
})

test('a mail that is sent after ten minutes, or after a newer request, mails nothing', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  await wire.otp('ada@example.com')
  testApp.clock.advance(60_000)
  await wire.otp('ada@example.com')
  expect(await deliverSignInMails(testApp)).toHaveLength(1)
  await wire.otp('grace@example.com')
  testApp.clock.advance(10 * 60_000)
  expect(await deliverSignInMails(testApp)).toEqual([])
})

test('create_user false answers alike and mails only to those who have a user', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  await wire.enter('known@example.com')
  testApp.clock.advance(60_000)
  const known = await wire.otp('known@example.com', { create_user: false })
  const unknown = await wire.otp('unknown@example.com', { create_user: false })
  expect([known.status, known.text]).toEqual([200, '{}'])
  expect([unknown.status, unknown.text]).toEqual([200, '{}'])
  expect((await deliverSignInMails(testApp)).map(({ to }) => to)).toEqual(['known@example.com'])
})
