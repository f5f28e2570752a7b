import type { Page } from '@playwright/test'
import { expect, type Fixtures, type Person, test } from './fixtures.ts'
import { NEUTRAL } from './visiting-steps.ts'

/** A server's answer, with something in it that the page does not know yet. */
type Answer = Record<string, Record<string, unknown>[]>

async function answerNewer(
  page: Page,
  path: string | RegExp,
  change: (answer: Answer) => void,
): Promise<void> {
  await page.route(path, async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as Answer
    change(answer)
    await route.fulfill({ response, json: answer })
  })
}

const notice = (page: Page) => page.getByText('There is a new version of Tradepost.')
const failure = (page: Page) => page.getByText('Something went wrong')
const row = (page: Page, ticker: string) => page.getByRole('row').filter({ hasText: ticker })

/** A page of somebody with two positions, before it has asked for anything. */
async function openWithTwo({ people, publish, openAs }: Pick<Fixtures, 'people' | 'publish' | 'openAs'>) {
  const person = await people.join()
  await publish(person, 'AAPL', 100)
  await publish(person, 'ORCL', 200)
  return openAs(person, NEUTRAL)
}

test('a hold length that the page does not know is shown as it is written, and the page shows that it is older', async ({
  people,
  publish,
  openAs,
  product,
}) => {
  const page = await openWithTwo({ people, publish, openAs })
  await answerNewer(page, '**/v1/positions', ({ positions }) => {
    for (const position of positions?.filter(({ stock }) => stock === 'AAPL') ?? []) {
      position.holdLength = 'one_day'
      delete position.publicAt
    }
  })
  await page.goto(product.url)
  await expect(row(page, 'AAPL')).toContainText('one day')
  await expect(row(page, 'AAPL')).not.toContainText('public from')
  await expect(row(page, 'ORCL')).toContainText('1-3 weeks')
  await row(page, 'AAPL').getByRole('button').click()
  await expect(page.getByRole('dialog')).toContainText('one day')
  await page.keyboard.press('Escape')
  await expect(notice(page)).toBeVisible()
  await page.unroute('**/v1/positions')
  await page.getByRole('button', { name: 'Load it' }).click()
  await expect(row(page, 'AAPL')).toContainText('1-3 weeks')
  await expect(notice(page)).toHaveCount(0)
})

test('a state of one mark that the page does not know leaves the prices of all others', async ({
  people,
  publish,
  openAs,
  product,
}) => {
  const page = await openWithTwo({ people, publish, openAs })
  await answerNewer(page, '**/v1/marks', ({ marks }) => {
    for (const mark of marks?.filter(({ symbol }) => symbol === 'AAPL') ?? []) mark.state = 'halted'
  })
  await page.goto(product.url)
  await expect(row(page, 'ORCL')).toContainText('$200.00')
  await expect(row(page, 'ORCL')).toContainText('0.00%')
  await expect(notice(page)).toBeVisible()
  await expect(row(page, 'AAPL')).not.toContainText('now $')
})

test('an event of a kind that the page does not know is left out of the activity, and the others stay', async ({
  people,
  publish,
  openAs,
  product,
}) => {
  const page = await openWithTwo({ people, publish, openAs })
  await answerNewer(page, /\/v1\/activity(\?|$)/, ({ items }) => {
    const [newest] = items ?? []
    if (newest) newest.kind = 'dividend'
  })
  await page.goto(`${product.url}/activity`)
  await expect(page.getByRole('article')).toHaveCount(1)
  await expect(page.getByRole('article')).toContainText('You opened AAPL')
  await expect(notice(page)).toBeVisible()
})

test('a message of the feed and a refusal that the page does not know leave everything as it is', async ({
  people,
  publish,
  openAs,
  product,
}) => {
  const page = await openWithTwo({ people, publish, openAs })
  const now = product.now().toISOString()
  const messages = [
    { type: 'ready', resumed: false, now, changedAt: null },
    { type: 'halted', symbol: 'AAPL', at: now },
  ]
  await page.route('**/v1/feed', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: messages.map((message, id) => `id: ${id}\ndata: ${JSON.stringify(message)}\n\n`).join(''),
    }),
  )
  await page.goto(`${product.url}/trade`)
  await expect(notice(page)).toBeVisible()
  await page.route('**/v1/positions/preview', (route) =>
    route.fulfill({ status: 409, json: { message: 'AAPL is halted.', code: 'halted' } }),
  )
  await page.getByRole('textbox', { name: 'Ticker' }).fill('AAPL')
  await page.getByRole('button', { name: 'Check Price' }).click()
  await expect(page.getByRole('textbox', { name: 'Price' })).toHaveValue('AAPL is halted.')
  await page.getByRole('link', { name: 'Home' }).click()
  await expect(row(page, 'AAPL')).toBeVisible()
  await expect(failure(page)).toHaveCount(0)
})

test.describe('before the code of a screen is there', () => {
  test.use({ coldBrowser: true })

  /** A page whose code of Search is gone for its first `times` documents. */
  async function openWithout(openAs: Fixtures['openAs'], person: Person, times: number) {
    const page = await openAs(person, NEUTRAL)
    let documents = 0
    page.on('domcontentloaded', () => {
      documents += 1
    })
    await page.route(/\/assets\/search-[^/]*\.js/, (route) =>
      documents <= times ? route.fulfill({ status: 404, body: '' }) : route.continue(),
    )
    await page.goto(new URL('/', page.url()).href)
    await expect(page.getByText('No positions available.')).toBeVisible()
    documents = 1
    return { page, documents: () => documents }
  }

  test('a screen that a deploy took away comes with the page, which reloads itself once', async ({
    people,
    openAs,
  }) => {
    const { page, documents } = await openWithout(openAs, await people.join(), 1)
    await page.getByRole('link', { name: 'Search' }).click()
    await expect(page.getByRole('heading', { name: 'Search' })).toBeVisible()
    expect(documents()).toBe(2)
    await expect(failure(page)).toHaveCount(0)
  })

  test('a screen that stays away is shown as failed after one time, with the way to try again', async ({
    people,
    openAs,
  }) => {
    const { page, documents } = await openWithout(openAs, await people.join(), 2)
    await page.getByRole('link', { name: 'Search' }).click()
    await expect(failure(page)).toBeVisible()
    expect(documents()).toBe(2)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { name: 'Search' })).toBeVisible()
  })
})
