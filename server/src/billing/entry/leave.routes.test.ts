import { afterAll, beforeEach, expect, test } from 'vitest'
import { closeBy, makeClosings } from '../../../test/closing.ts'
import { buy } from '../../../test/money/billing-scenario.ts'
import { type Hold, startLeavingScenario } from '../../../test/money/leaving-scenario.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { leaveUrl, leavingUrl } from '../leaving/leave-link.ts'

const scenario = await startLeavingScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { makeFollower, pass, testApp } = scenario
const { app, clock, pool, settings } = testApp
const closings = makeClosings(scenario)
const secret = makeSecretKey(settings.authSecret)
const { origin } = settings

beforeEach(() => scenario.toNextMonth())

type Page = { status: number; title: string; html: string }

async function ask(method: 'GET' | 'HEAD' | 'POST', url: string): Promise<Page> {
  const { body, statusCode } = await app.inject({ method, url: url.replace(origin, '') })
  return { status: statusCode, title: /<h1>(.*?)<\/h1>/.exec(body)?.[1] ?? '', html: body }
}
const look = (url: string) => ask('GET', url)
const press = (url: string) => ask('POST', url)

/** The link in the footer of a mail that was caused just now. */
async function footerOf({ row }: Hold): Promise<string> {
  return leaveUrl({ origin, secret }, row.unsubscribe_token, clock.now())
}

const mailsTo = async (hold: Hold) =>
  (await takeMails(testApp, ['way_out'])).filter(({ to }) => to === hold.person.email)

/** Asks from a footer. @returns the link that the subscriber was mailed */
async function mailedTo(hold: Hold): Promise<string> {
  expect(await press(await footerOf(hold))).toMatchObject({ status: 200, title: 'The link is on its way' })
  const [mail] = await mailsTo(hold)
  return /https?:\/\/\S+\/mail\/leaving\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
}

test('a footer mails the subscriber a link, whose page shows both ways and does the one that is pressed', async () => {
  const hold = await makeFollower()
  await hold.publish()
  await pass(4)
  expect(await look(await footerOf(hold))).toMatchObject({
    status: 200,
    title: `Leave <span translate="no">@${hold.trader.username}</span>?`,
  })
  const link = await mailedTo(hold)
  const page = await look(link)
  expect(page.html).toContain('You get back $10.89 of your payment of $12.50, the part for the 27 days left.')
  expect(page.html).toMatch(
    /<p>Open one to see what it does\. Nothing happens before you press “Withdraw now” or “Cancel at \w+ 1”\.<\/p>/,
  )
  expect(page.html).toContain(
    '<summary><span>Withdraw…</span> <span class="quiet">$10.89 comes back</span></summary>',
  )
  expect(page.html).toMatch(/<span>Cancel…<\/span> <span class="quiet">access until \w+ 1<\/span>/)
  expect(page.html).toContain(
    'What is paid stays paid, except a month in which nothing reached you: that comes back by itself.',
  )
  expect(page.html).toMatch(/<button type="submit">Withdraw now<\/button>/)
  expect(page.html).toMatch(/<button type="submit">Cancel at \w+ 1<\/button>/)
  expect(await hold.now()).toMatchObject({ status: 'active', cancel_at: null })
  const action = /action="([^"]*withdraw[^"]*)"/.exec(page.html)?.[1] ?? ''
  await pass(5 / 1440)
  const done = await press(action.replaceAll('&amp;', '&'))
  expect(done).toMatchObject({ status: 200 })
  expect(done.html).toContain('You get back $10.89 of your payment of $12.50')
  expect(await hold.now()).toMatchObject({ status: 'canceled', end_reason: 'withdrawn' })
  await scenario.settle()
  expect(await hold.money()).toEqual([[1250, 1089]])
  expect(await look(link)).toMatchObject({ status: 410, title: 'This link was used' })
  expect(await press(`${link}/withdraw`)).toMatchObject({ status: 410, title: 'This link was used' })
})

test('a cancellation by link ends it with its month, once, and the link is used up', async () => {
  const hold = await makeFollower()
  const link = await mailedTo(hold)
  expect(await press(`${link}/cancel`)).toMatchObject({ status: 200 })
  expect((await hold.now()).cancel_at).not.toBeNull()
  expect(await press(`${link}/withdraw`)).toMatchObject({ status: 410, title: 'This link was used' })
  expect(await hold.now()).toMatchObject({ status: 'active' })
  await scenario.settle()
  expect(await hold.mails()).toEqual(['way_out', 'subscription_canceled'])
})

test('scanners that open every link change nothing and have nothing mailed', async () => {
  const hold = await makeFollower()
  const [footer, link] = [await footerOf(hold), await mailedTo(hold)]
  for (const url of [footer, link, `${link}/cancel`, `${link}/withdraw`])
    for (const method of ['GET', 'HEAD', 'GET'] as const) expect((await ask(method, url)).status).toBe(200)
  expect(await press(link)).toMatchObject({ status: 200 })
  expect(await hold.now()).toMatchObject({ status: 'active', cancel_at: null })
  expect(await mailsTo(hold)).toEqual([])
  expect((await look(link)).title).toContain('Leave')
})

/** `December 26, 2026, 15:04 UTC`. */
function inWords(at: Date): string {
  const day = at.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
  return `${day}, ${at.toISOString().slice(11, 16)} UTC`
}

test('one mail goes in ten minutes for a subscription, and five in an hour for a person', async () => {
  const hold = await makeFollower()
  const footer = await footerOf(hold)
  await Promise.all([press(footer), press(footer), press(footer)])
  expect(await mailsTo(hold)).toHaveLength(1)
  clock.advance(10 * 60_000 - 1)
  const soon = await press(footer)
  expect(soon).toMatchObject({ status: 200, title: 'A link has been mailed already' })
  clock.advance(1)
  expect(soon.html).toContain(`Another one can be sent from ${inWords(clock.now())} on.`)
  for (let nth = 0; nth < 4; nth += 1) {
    expect((await press(footer)).title).toBe('The link is on its way')
    clock.advance(10 * 60_000)
  }
  const late = await press(footer)
  expect(late.title).toBe('A link has been mailed already')
  // The first of the five was fifty minutes ago.
  expect(late.html).toContain(inWords(new Date(clock.now().getTime() + 10 * 60_000)))
  expect(await mailsTo(hold)).toHaveLength(4)
})

test('a link that was forged, cut, or made for something else leads nowhere', async () => {
  const [hold, other] = [await makeFollower(), await makeFollower()]
  const footer = await footerOf(hold)
  const [day = '', seal = '', token = ''] = footer.split('/').at(-1)?.split('.') ?? []
  const tomorrow = (Number.parseInt(day, 36) + 1).toString(36)
  const stranger = makeSecretKey('another secret of more than thirty-two characters')
  const at = (link: string) => `/mail/leave/${link}`
  const id = '0199c000-0000-7000-8000-000000000001'
  for (const url of [
    at(`${tomorrow}.${seal}.${token}`),
    at(`${day}.${seal.slice(0, -1)}A.${token}`),
    at(`${day}.${seal}.${token.slice(0, -1)}`),
    at(token),
    at('x'),
    at('%00%27%3Cscript%3E'),
    at('a'.repeat(500)),
    leaveUrl({ origin, secret: stranger }, token, clock.now()),
    leavingUrl({ origin, secret }, id),
    leavingUrl({ origin, secret: stranger }, id),
    '/mail/leaving/x',
  ])
    for (const method of ['GET', 'POST'] as const)
      expect([url, await ask(method, url)]).toMatchObject([
        url,
        { status: 404, title: 'This link leads nowhere' },
      ])
  expect((await look('/mail/leaving/x')).html).toContain(
    'Signed in, you can leave under <a href="/account#subscriptions">Account &gt; Subscriptions</a>.',
  )
  const link = await mailedTo(hold)
  expect(await press(`${link.slice(0, -3)}AAA/cancel`)).toMatchObject({ status: 404 })
  expect(await other.now()).toMatchObject({ status: 'active', cancel_at: null })
  expect(await hold.now()).toMatchObject({ status: 'active', cancel_at: null })
})

test('a footer works for 400 days, and a mailed link for an hour', async () => {
  const hold = await makeFollower()
  const url = (days: number) =>
    leaveUrl(
      { origin, secret },
      hold.row.unsubscribe_token,
      new Date(clock.now().getTime() - days * 86_400_000),
    )
  expect(await look(url(400))).toMatchObject({ status: 200 })
  expect(await look(url(401))).toMatchObject({ status: 410, title: 'This link has expired' })
  expect(await press(url(401))).toMatchObject({ status: 410 })
  expect(await mailsTo(hold)).toEqual([])
  const link = await mailedTo(hold)
  clock.advance(3_599_999)
  expect(await look(link)).toMatchObject({ status: 200 })
  clock.advance(1)
  for (const way of ['cancel', 'withdraw'])
    expect(await press(`${link}/${way}`)).toMatchObject({ status: 410, title: 'This link has expired' })
  expect(await hold.now()).toMatchObject({ status: 'active', cancel_at: null })
  await runPurges(testApp, new Date(clock.now().getTime() + 31 * 86_400_000))
  expect(await look(link)).toMatchObject({ status: 404 })
})

test('a mailed link works no more once the account has another address, or had one meanwhile', async () => {
  const hold = await makeFollower()
  const link = await mailedTo(hold)
  clock.advance(1)
  await pool.query(
    `insert into email_undos (id, user_id, old_email, new_email, created_at, expires_at, used_at)
     values ('0199c000-0000-7000-8000-0000000000aa', $1, 'a@mail.example', 'b@mail.example', $2, $2, $2)`,
    [hold.person.userId, clock.now()],
  )
  expect(await press(`${link}/withdraw`)).toMatchObject({ status: 410, title: 'This link works no more' })
  expect(await hold.now()).toMatchObject({ status: 'active' })
  clock.advance(600_000)
  expect((await press(await footerOf(hold))).title, 'the footer mails the present address').toBe(
    'The link is on its way',
  )
})

test('of an ended subscription and a closed account the links say so', async () => {
  const [over, closed] = [await makeFollower(), await makeFollower()]
  const [link, other] = [await mailedTo(over), await mailedTo(closed)]
  expect((await over.withdraw()).status).toBe(200)
  for (const url of [await footerOf(over), link, `${link}/cancel`])
    expect(await press(url)).toMatchObject({ status: 410, title: 'This subscription has ended' })
  await closeBy(testApp, closed.person)
  for (const url of [await footerOf(closed), other, `${other}/withdraw`])
    expect(await press(url)).toMatchObject({ status: 410, title: 'This account is closed' })
  await closings.tend()
  expect(await mailsTo(over)).toEqual([])
})

test('a footer about an older subscription leads out of the newer one to the same trader', async () => {
  const older = await makeFollower()
  const [footer, link] = [await footerOf(older), await mailedTo(older)]
  await older.withdraw()
  await scenario.settle()
  await buy(scenario, older.person, older.trader)
  const newer = await scenario.holdOf(older.person, older.trader)
  expect(await press(`${link}/cancel`)).toMatchObject({ status: 410, title: 'This subscription has ended' })
  expect((await look(link)).html).toContain('You have a newer one to the same trader')
  expect(await newer.now()).toMatchObject({ status: 'active', cancel_at: null })
  expect(await look(footer)).toMatchObject({ status: 200 })
  expect(await press(footer)).toMatchObject({ status: 200, title: 'The link is on its way' })
  const [mail] = await mailsTo(newer)
  const url = /https?:\/\/\S+\/mail\/leaving\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
  expect(await press(`${url}/cancel`)).toMatchObject({ status: 200 })
  expect((await newer.now()).cancel_at).not.toBeNull()
})

test('a withdrawal by link after the fourteen days is not made, and the page goes on to cancel', async () => {
  const hold = await makeFollower()
  await hold.publish()
  await pass(14)
  const link = await mailedTo(hold)
  const page = await look(link)
  expect(page.html).not.toContain('Withdraw')
  expect(page.html).toMatch(
    /<p>Open it to see what it does\. Nothing happens before you press “Cancel at \w+ 1”\.<\/p>/,
  )
  expect(await press(`${link}/withdraw`)).toMatchObject({ status: 409, title: 'Nothing was changed' })
  expect(await press(`${link}/cancel`)).toMatchObject({ status: 200 })
})

test('a page without a button names none, and in free days it says that nothing was charged', async () => {
  const [canceled, trader, person] = [
    await makeFollower(),
    await scenario.makeTrader(),
    await scenario.makePerson(),
  ]
  await canceled.publish()
  await pass(14)
  expect((await canceled.cancel()).status).toBe(200)
  const { html } = await look(await mailedTo(canceled))
  expect(html).toContain('<p>Nothing was changed.</p>')
  expect(html).not.toMatch(/<button|<details/)
  const prices = { monthly: '12.50', yearly: '', currency: 'usd', trialDays: 7 }
  expect((await scenario.ask(trader, '/v1/accounts/prices', prices)).status).toBe(200)
  await scenario.settle()
  await scenario.buyAs(person, trader, { trialDays: 7 })
  const page = await look(await mailedTo(await scenario.holdOf(person, trader)))
  expect(page.html).toMatch(
    /<p>Open it to see what it does\. Nothing happens before you press “End trial at \w+ \d+”\.<\/p>/,
  )
  expect(page.html).toContain('Nothing was charged, and nothing will be.')
  expect(page.html).not.toContain('stays paid')
})

test('mails about a trader have a link to leave that works, and those of somebody else none', async () => {
  const hold = await makeFollower()
  await hold.cancel()
  await scenario.settle()
  const mails = await takeMails(testApp, ['subscription_canceled', 'subscription_started'])
  const own = mails.filter(({ to }) => to === hold.person.email)
  expect(own).toHaveLength(2)
  for (const { text } of own) {
    const url = /https?:\/\/\S+\/mail\/leave\/\S+/.exec(text)?.[0] ?? ''
    expect(await look(url)).toMatchObject({ status: 200 })
  }
  await hold.withdraw()
  const [ack] = (await takeMails(testApp, ['subscription_withdrawn'])).filter(
    ({ to }) => to === hold.person.email,
  )
  expect(ack?.text).not.toContain('/mail/leave/')
})
