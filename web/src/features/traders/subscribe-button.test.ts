import { expect, test } from 'vitest'
import { subscribeText } from './subscribe-button.tsx'

test.each([
  ['PROF-02', { isSelf: false, isSubscribed: false, canSubscribe: true }, 'Subscribe'],
  ['PROF-03', { isSelf: true, isSubscribed: false, canSubscribe: false }, 'You cannot subscribe to yourself'],
  ['PROF-03', { isSelf: true, isSubscribed: true, canSubscribe: true }, 'You cannot subscribe to yourself'],
  ['PROF-04', { isSelf: false, isSubscribed: true, canSubscribe: false }, 'Subscribed!'],
  ['PROF-04', { isSelf: false, isSubscribed: true, canSubscribe: true }, 'Subscribed!'],
  ['PROF-05', { isSelf: false, isSubscribed: false, canSubscribe: false }, 'Subscribing not available'],
])('%s: %j reads %s', (_, profile, text) => {
  expect(subscribeText(profile)).toBe(text)
})
