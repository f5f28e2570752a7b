import { expect, test } from 'vitest'
import { subscribeText } from './subscribe-button.tsx'

test.each([
  [{ isSelf: false, isSubscribed: false, canSubscribe: true }, 'Subscribe'],
  [{ isSelf: true, isSubscribed: false, canSubscribe: false }, 'You cannot subscribe to yourself'],
  [{ isSelf: true, isSubscribed: true, canSubscribe: true }, 'You cannot subscribe to yourself'],
  [{ isSelf: false, isSubscribed: true, canSubscribe: false }, 'Subscribed!'],
  [{ isSelf: false, isSubscribed: true, canSubscribe: true }, 'Subscribed!'],
  [{ isSelf: false, isSubscribed: false, canSubscribe: false }, 'Subscribing not available'],
])('the button of a profile with %j reads %s', (profile, text) => {
  expect(subscribeText(profile)).toBe(text)
})
