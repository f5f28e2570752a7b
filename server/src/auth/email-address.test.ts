import { expect, test } from 'vitest'
import { normalizeEmail } from './email-address.ts'

test('one address has one spelling', () => {
  expect(normalizeEmail(' Ada.Lovelace+Tag@Example.COM\n')).toBe('ada.lovelace+tag@example.com')
  expect(normalizeEmail("o'neil@xn--bcher-kva.example")).toBe("o'neil@xn--bcher-kva.example")
})

test('text that is no address is refused', () => {
  const none = ['', 'abcde', '@example.com', 'ada@', 'ada@localhost', 'a b@example.com', 'a@b@example.com']
  // A Kelvin sign would become a k, and with it another person's address.
  const tricks = [
    'ada@example.com\r\nbcc: eve@example.com',
    'ada@-example.com',
    '\u212aada@example.com',
    'a\u0000@b.co',
  ]
  for (const given of [...none, ...tricks]) expect(normalizeEmail(given), given).toBeNull()
})
