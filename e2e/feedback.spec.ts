import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from './fixtures.ts'
import { OPERATOR_EMAIL } from './product.ts'
import { expectToastFor, stopTime } from './toasts.ts'

const FEEDBACK = '**/v1/feedback'
const OPERATOR = join(import.meta.dirname, '../server/src/operator.ts')

test('feedback goes from the form to the operator', {
  tag: ['@FEED-01', '@FEED-02', '@FEED-04', '@FEED-05', '@FEED-06'],
}, async ({ people, openAs, mailbox, product }) => {
  const person = await people.join()
  const words = `The chart of ${person.username} should show the opening price.`
  const page = await openAs(person, '/feedback')
  await expect(page).toHaveURL(`${product.url}/account#feedback`)
  const section = page.getByRole('region', { name: 'Feedback' })
  await expect(section).toBeFocused()
  await expect(section).toBeInViewport()
  const comments = section.getByRole('textbox', { name: 'Comments' })
  const submit = section.getByRole('button', { name: 'Submit' })
  await expect(section.getByText('0/500 (min. 10)', { exact: true })).toBeVisible()
  await comments.fill('x'.repeat(9))
  await expect(submit).toBeDisabled()
  await comments.fill('x'.repeat(10))
  await expect(submit).toBeEnabled()
  await comments.fill('x'.repeat(501))
  await expect(section.getByText('501/500 (min. 10)', { exact: true })).toBeVisible()
  await submit.click()
  await expect(section.getByText('Feedback must be between 10 and 500 characters.')).toBeVisible()
  await expect(comments).toHaveValue('x'.repeat(501))

  await page.route(FEEDBACK, (route) => route.abort())
  await comments.fill(words)
  await submit.click()
  await expect(section.getByText('Something went wrong, please try again.')).toBeVisible()
  await expect(comments).toHaveValue(words)
  await page.unroute(FEEDBACK)

  await stopTime(page, product.now())
  const request = page.waitForRequest(FEEDBACK)
  await submit.click()
  expect((await request).postDataJSON()).toEqual({ feedback: words })
  await expectToastFor(page, 'Thanks for submitting your feedback!', 2000)
  await page.clock.resume()
  await expect(comments).toHaveValue('')
  await expect(section.getByText('0/500 (min. 10)', { exact: true })).toBeVisible()
  await expect(submit).toBeDisabled()
  await expect(section.getByText('Something went wrong, please try again.')).toHaveCount(0)

  const mail = await mailbox.latest(OPERATOR_EMAIL, 'Tradepost: feedback')
  expect(mail.text).toContain(words)
  expect(mail.text).toContain(`${person.username}, ${person.email}`)
  const { stdout } = await promisify(execFile)(process.execPath, [OPERATOR, 'feedback'], {
    env: product.environment,
  })
  expect(stdout).toContain(`${person.username}  ${person.email}`)
  expect(stdout).toContain(`  ${words}\n`)
})

test('on a phone /feedback leads to the section too, Back leads away from both, and mails lead to their sections', {
  tag: ['@phone'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), '/leaderboard')
  await expect(page.getByRole('heading', { level: 1, name: 'Leaderboard' })).toBeVisible()
  await page.evaluate(() => {
    history.pushState(null, '', '/feedback')
    dispatchEvent(new PopStateEvent('popstate'))
  })
  await expect(page).toHaveURL(`${product.url}/account#feedback`)
  await expect(page.getByRole('textbox', { name: 'Comments' })).toBeInViewport()
  await page.goBack()
  await expect(page).toHaveURL(`${product.url}/leaderboard`)
  await page.goto(`${product.url}/account#payments`)
  await expect(page.getByRole('region', { name: 'Payments' })).toBeFocused()
})
