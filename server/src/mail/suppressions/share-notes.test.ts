import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { statementsOf } from '../../../test/database/query-log.ts'
import { waitingMails } from '../../../test/run-outbox.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { shareNotes } from './share-notes.ts'

async function startScenario() {
  const testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  const mailIds: string[] = []
  for (const name of ['ada', 'grace', 'joan', 'mary']) {
    await wire.otp(`${name}@example.com`)
    const ids = (await waitingMails(testApp.db, 'sign_in')).map(({ id }) => id)
    mailIds.push(ids.find((id) => !mailIds.includes(id)) ?? '')
  }
  const returned = async () => {
    const rows = await testApp.db
      .selectFrom('sign_in_addresses')
      .select('email')
      .where('returned_at', 'is not', null)
      .orderBy('email')
      .execute()
    return rows.map(({ email }) => email)
  }
  return { testApp, mailIds, returned, [Symbol.asyncDispose]: () => testApp.close() }
}

test('outcomes that come while a statement is under way share the next, each for its address', async () => {
  await using scenario = await startScenario()
  const { mailIds, returned, testApp } = scenario
  const note = shareNotes(testApp.db)
  const now = testApp.clock.now()
  const came = ['back', 'taken', 'back', 'unsent'] as const
  const statements = await statementsOf(testApp, () =>
    Promise.all(mailIds.map((mailId, at) => note({ mailId, came: came[at] ?? 'unsent' }, now))),
  )
  expect(statements).toHaveLength(2)
  expect(await returned()).toEqual(['ada@example.com', 'joan@example.com'])
  await Promise.all(mailIds.map((mailId) => note({ mailId, came: 'taken' }, now)))
  expect(await returned()).toEqual([])
})

test('of two outcomes of one address the later counts', async () => {
  await using scenario = await startScenario()
  const { mailIds, returned, testApp } = scenario
  const note = shareNotes(testApp.db)
  const now = testApp.clock.now()
  const [ada = '', grace = ''] = mailIds
  const outcomes = [
    [grace, 'taken'],
    [ada, 'taken'],
    [ada, 'back'],
  ] as const
  await Promise.all(outcomes.map(([mailId, came]) => note({ mailId, came }, now)))
  expect(await returned()).toEqual(['ada@example.com'])
  const turned = [
    [grace, 'taken'],
    [ada, 'back'],
    [ada, 'taken'],
  ] as const
  await Promise.all(turned.map(([mailId, came]) => note({ mailId, came }, now)))
  expect(await returned()).toEqual([])
})

test('a fault stays with the mail that caused it', async () => {
  await using scenario = await startScenario()
  const { mailIds, returned, testApp } = scenario
  const note = shareNotes(testApp.db)
  const now = testApp.clock.now()
  const ids = [...mailIds.slice(0, 2), 'no id', ...mailIds.slice(2)]
  const noted = await Promise.allSettled(ids.map((mailId) => note({ mailId, came: 'back' }, now)))
  expect(noted.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect(await returned()).toEqual([
    'ada@example.com',
    'grace@example.com',
    'joan@example.com',
    'mary@example.com',
  ])
})
