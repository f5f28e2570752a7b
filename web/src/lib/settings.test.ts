import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

function pageWith(text: string): Document {
  const page = document.implementation.createHTMLDocument()
  const element = page.createElement('script')
  element.id = 'settings'
  element.type = 'application/json'
  element.textContent = text
  page.head.append(element)
  return page
}

const subscription = { priceCents: 1000, currency: 'usd' }
const defaults = { marketOverride: null, platformFeePercent: 10, subscription, sandbox: null }

test.each(['open', 'hours'] as const)(
  'the override %s comes with the page, and so does the fee that the terms name',
  (marketOverride) => {
    const sandbox = { url: 'http://localhost:3001/', mailboxUrl: null, payments: true }
    const settings = { marketOverride, platformFeePercent: 12.5, subscription, sandbox }
    expect(readSettings(pageWith(JSON.stringify(settings)))).toEqual(settings)
  },
)

test.each(['__SETTINGS__', '', '{"marketOverride":"closed"}', 'null'])(
  'the settings %j force nothing',
  (text) => {
    expect(readSettings(pageWith(text))).toEqual(defaults)
  },
)

test('a page without settings forces nothing', () => {
  expect(readSettings(document.implementation.createHTMLDocument())).toEqual(defaults)
})
