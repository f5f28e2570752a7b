import { expect, test } from 'vitest'
import { findWantedPage } from './wanted-page.ts'

test.each([
  ['/trader/maria', '@maria', 'View profile'],
  ['/trader/@maria', '@maria', 'View profile'],
  ['/trader/maria/subscribe', '@maria', 'Subscribe'],
  ['/leaderboard', 'Leaderboard', 'Open'],
  ['/account#subscriptions', 'Account', 'Open'],
  ['/payment/success?trader=maria', 'Subscribed', 'Open'],
])('%s is a page that somebody may come for', (address, name, link) => {
  expect(findWantedPage(address)).toMatchObject({ address, name, link })
})

test.each([
  '/',
  '/login',
  '/nothing',
  '/trader/',
  '/trader/a',
  '/trader/%3Cscript%3E',
  '/feedback',
  '/trader/%',
])('%s is no page that somebody comes for', (address) => {
  expect(findWantedPage(address)).toBeNull()
})
