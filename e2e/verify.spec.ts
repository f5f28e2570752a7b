import type { Browser, Page } from '@playwright/test'
import { fragmentOf, historyOf, leavesOf, serveTrader } from '../record/src/test-history.ts'
import { expectReadable } from './accessible.ts'
import { test as base, expect } from './fixtures.ts'
import { mailWith, serveRecord } from './kept-record.ts'
import { translateAlways } from './translated.ts'

const TRUE =
  /This mail is part of Tradepost’s public record since Nov 26, 2026, 15:02 UTC\. 3 positions of this trader were open then\./
const history = historyOf()
const rewritten = historyOf({ changed: 7 })

type RecordServer = Awaited<ReturnType<typeof serveRecord>>

/** A browser of its own, with a server before the product that has the test's record. */
const test = base.extend<{ record: RecordServer; visitor: Page }>({
  record: async ({ product }, use) => {
    const server = await serveRecord(product.url, history)
    await use(server)
    server.stop()
  },
  visitor: async ({ browser }, use) => {
    const page = await openVisitor(browser)
    await use(page)
    await page.context().close()
  },
})

test.use({ contextOptions: { reducedMotion: 'reduce' } })

async function openVisitor(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ serviceWorkers: 'allow', reducedMotion: 'reduce' })
  return context.newPage()
}

const answers = (page: Page) => page.locator('#verdicts article')

async function untilKept(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(async () => Boolean(await caches.match('/verify')))).toBe(true)
}

test('the link of a mail is proven, today’s record goes on from it, and no request carries the receipt', async ({
  record,
  visitor,
}) => {
  const fragment = fragmentOf(history.receipt(100))
  await visitor.goto(`${record.url}/verify${fragment}`)
  await expect(answers(visitor).first()).toContainText(TRUE)
  await expect(answers(visitor).first()).toContainText(
    'Opened NVDA at 187.52 USD, a price of Nov 26, 2026, 15:02 UTC, planned for 3-6 months.',
  )
  await expect(answers(visitor).last()).toContainText(
    'Today’s record still has it, unchanged: 150 entries, signed Nov 26, 2026, 15:02 UTC, 1 witness.',
  )
  await visitor.getByText('How this is known').click()
  await expect(visitor.getByText('Leaf 42 of 100')).toBeVisible()
  await expect(visitor.getByText('witness.example/w1')).toBeVisible()
  const saved = visitor.waitForEvent('download')
  await visitor.getByRole('button', { name: 'Save as proof' }).click()
  expect((await saved).suggestedFilename()).toBe('leaf-42.tlog-proof')
  await untilKept(visitor)
  expect(record.sent.length).toBeGreaterThan(5)
  const secret = fragment.slice(1)
  for (const part of [secret.slice(0, 40), secret.slice(300, 340), secret.slice(-40)])
    expect(record.sent.filter((request) => request.includes(part))).toEqual([])
})

test('after one visit a link is checked without a network, and one that was changed is refused', async ({
  record,
  visitor,
}) => {
  await visitor.goto(`${record.url}/verify`)
  await untilKept(visitor)
  record.state.away = true
  record.close()
  await visitor.goto('about:blank')
  await visitor.goto(`${record.url}/verify${fragmentOf(history.receipt(100))}`)
  await expect(answers(visitor).first()).toContainText(TRUE)
  await expect(answers(visitor).last()).toContainText('The record of today could not be asked.')

  const receipt = history.receipt(100)
  const spoiled = receipt.with(150, (receipt[150] ?? 0) ^ 1)
  await visitor.goto('about:blank')
  await visitor.goto(`${record.url}/verify${fragmentOf(spoiled)}`)
  await expect(answers(visitor)).toHaveCount(1)
  await expect(answers(visitor)).toHaveAttribute('data-colour', 'bad')
  await expect(answers(visitor)).toContainText('its text is not the one that was recorded')
})

test('two mails with one size and two roots convict without a network, and the evidence is saved', async ({
  record,
  visitor,
}) => {
  await visitor.goto(`${record.url}/verify`)
  await untilKept(visitor)
  record.state.away = true
  record.close()
  const mail = (name: string, receipt: Uint8Array) => ({
    name,
    mimeType: 'message/rfc822',
    buffer: Buffer.from(mailWith(receipt)),
  })
  await visitor
    .getByLabel('Or choose mails, saved as .eml or .txt')
    .setInputFiles([mail('one.eml', history.receipt(100)), mail('two.eml', rewritten.receipt(100))])
  await expect(answers(visitor)).toHaveCount(3)
  await expect(answers(visitor).first()).toHaveAttribute('data-colour', 'bad')
  await expect(answers(visitor).first()).toContainText(
    'Tradepost signed two records that contradict each other.',
  )
  const saved = visitor.waitForEvent('download')
  await visitor.getByRole('button', { name: 'Save the evidence' }).click()
  const stream = await (await saved).createReadStream()
  const evidence = Buffer.concat(await stream.toArray()).toString()
  for (const note of [history.note(100), rewritten.note(100)]) expect(evidence).toContain(note)
})

test('a browser that saw the record before finds that it was rewritten, also when nothing was mailed about it', async ({
  record,
  visitor,
}) => {
  await visitor.goto(`${record.url}/verify${fragmentOf(history.receipt(100))}`)
  await expect(answers(visitor).last()).toContainText('Today’s record still has it')
  record.state.history = rewritten
  record.state.size = 180
  await visitor.goto('about:blank')
  // A later mail, of the rewritten record.
  await visitor.goto(`${record.url}/verify${fragmentOf(rewritten.receipt(160))}`)
  await expect(answers(visitor).first()).toContainText('contradict each other')
  await expect(visitor.getByRole('button', { name: 'Save the evidence' })).toBeVisible()
})

test('a pasted link is checked, and what is from before the record is neither proven nor refused', async ({
  record,
  visitor,
}) => {
  const imported = historyOf({ flags: 4 })
  record.state.history = imported
  await visitor.goto(`${record.url}/verify`)
  await visitor
    .getByLabel('Paste that link, or the text of the mail')
    .fill(`https://tradepost.example/verify${fragmentOf(imported.receipt(100))}`)
  await visitor.getByRole('button', { name: 'Check' }).click()
  await expect(answers(visitor).first()).toHaveAttribute('data-colour', 'open')
  await expect(answers(visitor).first()).toContainText('This was imported when the record began.')
  await visitor.getByLabel('Paste that link, or the text of the mail').fill('Nothing of ours.')
  await visitor.getByRole('button', { name: 'Check' }).click()
  await expect(answers(visitor)).toHaveText(/There is no receipt in this/)
})

test('the pages of the record are read in both themes, narrow and wide, by keyboard and under a translator', async ({
  record,
  visitor,
}) => {
  const complaints: string[] = []
  visitor.on('pageerror', ({ message }) => complaints.push(message))
  await visitor.goto(`${record.url}/verify${fragmentOf(history.receipt(100))}`)
  await expect(answers(visitor)).toHaveCount(2)
  await visitor.getByText('How this is known').focus()
  await visitor.keyboard.press('Enter')
  await expect(visitor.getByText('Leaf 42 of 100')).toBeVisible()
  await expectReadable(visitor, '/verify')
  await visitor.goto(`${record.url}/record`)
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('The public record')
  await expectReadable(visitor, '/record')
  await translateAlways(visitor)
  await visitor.goto(`${record.url}/verify${fragmentOf(history.receipt(100))}`)
  await expect(answers(visitor)).toHaveCount(2)
  await visitor.getByRole('button', { name: 'Check' }).click()
  await expect(answers(visitor)).toHaveText(/There is no receipt in this/)
  expect(complaints).toEqual([])
})

test('what the record proves, and what not, is read without a script', async ({ browser, product }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${product.url}/record`)
  await expect(page.getByText(/^The record has not begun yet\.$|^[\d,]+ entr(y|ies), signed/)).toBeVisible()
  await expect(page.getByText('could be shown two')).toBeVisible()
  await page.getByRole('link', { name: 'Check a mail' }).click()
  // Playwright shows no `noscript`, with scripts or without.
  expect(await page.content()).toContain('This page needs JavaScript to check a mail.')
  await context.close()
})

test('the foot of a screen leads to the record, and says its state only after a minute', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/leaderboard')
  const asked: string[] = []
  await page.route('**/record/checkpoint', (route) => {
    asked.push(route.request().url())
    return route.fulfill({ contentType: 'text/plain', body: history.note(150) })
  })
  const link = page.getByRole('contentinfo').getByRole('link')
  await expect(link).toHaveText('Public record')
  await page.clock.runFor(50_000)
  expect(asked).toEqual([])
  await page.clock.runFor(15_000)
  await expect(link).toHaveText(/^Record: 150 entries, signed .* ago, 1 witness$/)
  await page.clock.runFor(300_000)
  expect(asked).toHaveLength(1)
  await link.click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('The public record')
})

test('the foot of a screen keeps its plain link where the record does not answer', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/leaderboard')
  await page.route('**/record/checkpoint', (route) => route.fulfill({ status: 404 }))
  const answered = page.waitForResponse('**/record/checkpoint')
  await expect(page.getByRole('contentinfo').getByRole('link')).toHaveText('Public record')
  await page.clock.runFor(65_000)
  await answered
  await expect(page.getByRole('contentinfo').getByRole('link')).toHaveText('Public record')
})

test('a profile is checked against the leaves of the record, and a position that it leaves out is noticed', async ({
  people,
  openAs,
  publish,
  product,
}) => {
  const trader = await people.join()
  await publish(trader, 'AAPL', 187.52)
  const at = product.now().getTime() - 4 * 86_400_000
  const opened = { kind: 'opened', hold: 2, at } as const
  let answer = serveTrader(leavesOf([{ ...opened, open: 1 }]))
  const page = await openAs(await people.join(), `/trader/${trader.username}`)
  const check = page.getByRole('button', { name: 'Check against the record' })
  await expect(check).toBeVisible()
  await page.route('**/record/**', (route) => {
    const { pathname, search } = new URL(route.request().url())
    const given = answer(pathname + search)
    if (given instanceof Uint8Array) return route.fulfill({ body: Buffer.from(given) })
    return route.fulfill({ body: typeof given === 'string' ? given : JSON.stringify(given) })
  })
  await check.click()
  const said = page.locator('[data-slot=record-counts]')
  await expect(said).toContainText(
    'By the record: 1 open now, age 4 days. 0 closed. The profile says the same.',
  )
  answer = serveTrader(
    leavesOf([
      { ...opened, open: 1 },
      { ...opened, open: 2 },
    ]),
  )
  await page.reload()
  await check.click()
  await expect(said).toContainText('2 open now, ages 4, 4 days. 0 closed.')
  await expect(said).toContainText('The profile on this page says 1 open, which is not the same.')
  await expectReadable(page, 'the profile')
})

test('a trader who has published nothing has no entries, and one whose entries are not found is contradicted', async ({
  people,
  openAs,
  publish,
}) => {
  const [quiet, trader] = [await people.join(), await people.join()]
  const page = await openAs(await people.join(), `/trader/${quiet.username}`)
  const check = page.getByRole('button', { name: 'Check against the record' })
  const said = page.locator('[data-slot=record-counts]')
  await check.click()
  await expect(said).toContainText('The record has no entries of this trader yet.')
  await publish(trader, 'AAPL', 187.52)
  await page.route('**/record/traders/**', (route) => route.fulfill({ status: 404, json: {} }))
  await page.goto(new URL(`/trader/${trader.username}`, page.url()).href)
  await check.click()
  await expect(said).toContainText('By the record: None open now. 0 closed.')
  await expect(said).toContainText('The profile on this page says 1 open, which is not the same.')
})
