import { expect, test } from 'vitest'
import { ApiRefusal } from '../../lib/api-refusal.ts'
import { providerAddress } from './provider-address.ts'

test.each(['https://checkout.stripe.com/c/pay/cs_1#fragment', 'http://localhost:3001/c/pay/cs_1'])(
  'the browser goes to %s',
  (url) => {
    expect(providerAddress(url)).toBe(url)
  },
)

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  '/c/pay/cs_1',
  '//evil.example',
  'checkout',
  '',
])('the browser does not go to %j', (url) => {
  expect(() => providerAddress(url)).toThrow(ApiRefusal)
})
