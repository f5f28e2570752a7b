import { expect, test } from 'vitest'
import { EMAIL_PROBLEMS, emailProblem, normalizeEmail, seenEmail } from './email-address.ts'

test('one address has one spelling', () => {
  expect(normalizeEmail(' Ada.Lovelace+Tag@Example.COM\n')).toBe('ada.lovelace+tag@example.com')
  expect(normalizeEmail("o'neil@xn--bcher-kva.example")).toBe("o'neil@xn--bcher-kva.example")
})

test('text that is no address is refused', () => {
  const none = ['', 'abcde', '@example.com', 'ada@', 'ada@localhost', 'a b@example.com', 'a@b@example.com']
  // A Kelvin sign would become a k, and with it another person's address.
  const tricks = [
    'ada@example.com\r\nbcc: eve@example.com',
    'ada@example\n.com',
    'ada@-example.com',
    '\u212aada@example.com',
    'a\u0000@b.co',
    'ada@bücher.example/x',
    'ada@bücher.example:25',
    'ada@b%C3%BCcher.example',
    'mailto:a%@example.com%',
  ]
  for (const given of [...none, ...tricks]) expect(normalizeEmail(given), given).toBeNull()
})

test('an address is read as a person sees it, whatever came along when it was copied', () => {
  const spellings = [
    '\u200bada@example.com\ufeff',
    'a\u00adda@exam\u2060ple.com',
    '\u202aada@example.com\u202c',
    'ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ',
    'ada\ufe6bexample。com',
    '<ada@example.com>',
    'Ada Lovelace <ada@example.com>,',
    '"Lovelace, Ada" <Ada@Example.com>;',
    'mailto:ada@example.com',
    'MAILTO:ada%40example.com?subject=Hello%20you',
    'ada@example.com.',
    'ada@example.com,',
    '(ada@example.com)',
    '“ada@example.com”',
    "'ada@example.com'",
    'ada @ example.com',
    'ada@example. com',
    '\u00a0ada@example.com\u3000',
  ]
  for (const given of spellings) {
    expect(normalizeEmail(given), given).toBe('ada@example.com')
    expect(seenEmail(given).toLowerCase(), given).toBe('ada@example.com')
  }
  // Characters that may stand in an address are left in it.
  expect(normalizeEmail("'ada@example.com")).toBe("'ada@example.com")
  expect(normalizeEmail('{a}@example.com')).toBe('{a}@example.com')
})

test('an international domain has one spelling, and stays readable where it was typed', () => {
  for (const given of ['kunde@bücher.example', 'Kunde@BÜCHER.example.', 'kunde@bu\u0308cher。example'])
    expect(normalizeEmail(given), given).toBe('kunde@xn--bcher-kva.example')
  expect(normalizeEmail('kunde@xn--bcher-kva.example')).toBe('kunde@xn--bcher-kva.example')
  expect(normalizeEmail('ada@straße.example')).toBe('ada@xn--strae-oqa.example')
  expect(normalizeEmail('ada@例え.テスト')).toBe('ada@xn--r8jz45g.xn--zckzah')
  expect(seenEmail(' <kunde@bücher.example>.')).toBe('kunde@bücher.example')
  // Between these letters the joiner is a part of the name.
  expect(normalizeEmail('ada@نامه\u200cای.example')).toBe('ada@xn--mgba3gch31f060k.example')
})

test('an address that mail cannot go to as it is written gets the reason', () => {
  expect(emailProblem('jörg@example.com')).toBe(EMAIL_PROBLEMS.local_part)
  expect(emailProblem('用户@例え.テスト')).toBe(EMAIL_PROBLEMS.local_part)
  expect(emailProblem('ada@1.2')).toBe(EMAIL_PROBLEMS.domain)
  expect(emailProblem('ada@①.②')).toBe(EMAIL_PROBLEMS.domain)
  expect(normalizeEmail('ada@1.2')).toBeNull()
  expect(normalizeEmail('ada@①.②')).toBeNull()
  for (const fine of ['ada@example.com', 'kunde@bücher.example', '']) expect(emailProblem(fine)).toBeNull()
  for (const none of ['jörg', 'j ö@example.com', 'jörg@nowhere']) expect(emailProblem(none), none).toBeNull()
})

test('a long text is looked at in no more than its beginning', () => {
  expect(normalizeEmail(`${'<'.repeat(2_000_000)}ada@example.com`)).toBeNull()
  expect(normalizeEmail(`${'a'.repeat(64)}@example.com`)).toBe(`${'a'.repeat(64)}@example.com`)
  expect(normalizeEmail(`${'a'.repeat(65)}@example.com`)).toBeNull()
})
