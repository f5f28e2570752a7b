import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { call, makeTrader, moveSubscription, subscribe } from '../../../test/factories.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'

const CLICK = {
  payload: 'List-Unsubscribe=One-Click',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
}

async function twoFollowed(testApp: TestApp) {
  const [maria, jose] = [await makeTrader(testApp, 'maria'), await makeTrader(testApp, 'jose')]
  const subscriber = await signIn(testApp)
  await subscribe(testApp, subscriber, maria)
  await subscribe(testApp, subscriber, jose)
  const { rows } = await testApp.pool.query<{ token: string }>(
    'select token from unsubscribe_tokens where trader_id = $1',
    [maria.userId],
  )
  const url = `/mail/unsubscribe/${rows[0]?.token}`
  const press = async (path: string) =>
    (await testApp.app.inject({ method: 'POST', url: path, ...CLICK })).body
  /** The switch of all, and those of the traders by name. */
  const switches = async () => {
    const { body } = await call(testApp, subscriber, 'GET', '/v1/subscriptions')
    const own = body.subscriptions as { username: string; mailEnabled: boolean }[]
    const byName = own.toSorted((a, b) => (a.username < b.username ? -1 : 1))
    return [body.positionMails, ...byName.map(({ mailEnabled }) => mailEnabled)]
  }
  return { url, press, switches }
}

test('the second button of a link stops the mails of all traders, and the page behind it takes that back', async () => {
  await using testApp = await buildTestApp()
  const { press, switches, url } = await twoFollowed(testApp)
  const { body: question } = await testApp.app.inject({ url })
  expect(question).toContain(
    `<form class="more" method="post" action="${url}/all"><button type="submit" class="plain">Stop mails about all traders</button></form>`,
  )
  expect(question).toContain('Mails about payments and the security of your account go on: without them')
  expect(await switches()).toEqual([true, true, true])

  const done = await press(`${url}/all`)
  expect(done).toContain('<h1>Done: no more mails about positions</h1>')
  expect(done).toContain('also about those whom you follow later')
  expect(done).toContain('<a href="/account#subscriptions">Account &gt; Subscriptions</a>')
  expect(done).toContain(`action="${url}/undo-all"`)
  expect(await switches()).toEqual([false, true, true])
  expect(await press(`${url}/all`)).toBe(done)

  expect(await press(`${url}/undo-all`)).toContain('<h1>Mails about positions are on again</h1>')
  expect(await switches()).toEqual([true, true, true])
})

test('one click still means the one trader, and its page takes that back, whatever holds for all', async () => {
  await using testApp = await buildTestApp()
  const { press, switches, url } = await twoFollowed(testApp)
  const done = await press(url)
  expect(done).toContain('<h1>Done: no more mails about @maria</h1>')
  expect(done).toContain(`action="${url}/undo"`)
  expect(await switches()).toEqual([true, true, false])
  const undone = await press(`${url}/undo`)
  expect(undone).toContain('<h1>Mails about @maria are on again</h1>')
  expect(undone).toContain('You are mailed when @maria opens or closes a position.')
  expect(await switches()).toEqual([true, true, true])

  await press(`${url}/all`)
  await press(url)
  expect(await switches()).toEqual([false, true, false])
  expect(await press(`${url}/undo`)).toContain('None comes as long as the mails about all traders are off')
  expect(await switches()).toEqual([false, true, true])
})

test('opening any address of the link changes nothing, and a link of another time works as long as it is known', async () => {
  await using testApp = await buildTestApp()
  const { press, switches, url } = await twoFollowed(testApp)
  for (const way of ['all', 'undo', 'undo-all']) {
    const { body, statusCode } = await testApp.app.inject({ url: `${url}/${way}` })
    expect([statusCode, body]).toEqual([200, expect.stringContaining('Stop mails about @maria?')])
    expect((await testApp.app.inject({ method: 'HEAD', url: `${url}/${way}` })).statusCode).toBe(200)
  }
  expect(await switches()).toEqual([true, true, true])
  for (const path of [
    `${url}x/all`,
    '/mail/unsubscribe/AAAAAAAAAAAAAAAAAAAAAA/all',
    '/mail/unsubscribe/x/undo-all',
  ])
    expect(await press(path)).toContain('This link leads nowhere')
  expect(await press(`${url}/everything`)).not.toContain('Done')
  expect(await switches()).toEqual([true, true, true])

  testApp.clock.advance(400 * 86_400_000)
  expect(await press(`${url}/all`)).toContain('no more mails about positions')
})

test('the link of an ended subscription stops the mails of the one that came after it', async () => {
  await using testApp = await buildTestApp()
  const [maria, subscriber] = [await makeTrader(testApp, 'maria'), await signIn(testApp)]
  const ended = await subscribe(testApp, subscriber, maria)
  const { rows } = await testApp.pool.query<{ token: string }>('select token from unsubscribe_tokens')
  await moveSubscription(testApp, maria, ended, 'canceled')
  await subscribe(testApp, subscriber, maria)
  const switches = async () => {
    const { body } = await call(testApp, subscriber, 'GET', '/v1/subscriptions')
    return (body.subscriptions as { mailEnabled: boolean }[]).map(({ mailEnabled }) => mailEnabled)
  }
  const url = `/mail/unsubscribe/${rows[0]?.token}`
  for (const [path, expected] of [
    [url, false],
    [`${url}/undo`, true],
  ] as const) {
    await testApp.app.inject({ method: 'POST', url: path, ...CLICK })
    expect(await switches()).toEqual([expected, expected])
  }
})

test('a link of the mails before renewals stops nothing else', async () => {
  await using testApp = await buildTestApp()
  const { press, switches } = await twoFollowed(testApp)
  await testApp.pool.query(
    `insert into renewal_mails (user_id, unsubscribe_token) select subscriber_id, 'RENEWALRENEWALRENEWAL1' from subscriptions limit 1`,
  )
  const url = '/mail/unsubscribe/RENEWALRENEWALRENEWAL1'
  for (const way of ['all', 'undo', 'undo-all'])
    expect(await press(`${url}/${way}`)).toContain('leads nowhere')
  const { body } = await testApp.app.inject({ url })
  expect(body.match(/<button/g)).toHaveLength(1)
  expect(await switches()).toEqual([true, true, true])
})
