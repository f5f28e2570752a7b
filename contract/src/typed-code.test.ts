import { expect, test } from 'vitest'
import { readCode, readRecoveryCode } from './typed-code.ts'

test('a code is read as a person sees it', () => {
  const spellings = [
    '012345',
    ' 012 345 ',
    '012-345',
    '012–345',
    '0 1 2 3 4 5',
    '0.1.2.3.4.5',
    '\u200e012345\u200b',
    '０１２３４５',
    '٠١٢٣٤٥',
    '۰۱۲۳۴۵',
    '०१२३४५',
    '๐๑๒๓๔๕',
    '𝟎𝟏𝟐𝟑𝟒𝟓',
    '012\u00a0345',
    '012\n345\n',
  ]
  for (const typed of spellings) expect(readCode(typed), typed).toBe('012345')
})

test('a code is found in the sentence or the mail that it came in', () => {
  const sentences = [
    'Your code is 123456',
    '123456 is your code. It works for 10 minutes.',
    'Your code: 123 456.',
    'C-123456',
    '"123456"',
    '您的验证码是123456，请勿泄露',
    'コードは１２３４５６です',
    'Your code is 123456. Or open\nhttps://tradepost.example/login#token_hash=ab-654321-cd&type=email',
    'Code: 123456 (again: 123456)',
  ]
  for (const typed of sentences) expect(readCode(typed), typed).toBe('123456')
})

test('a text with no code of six digits, or with more than one, is none', () => {
  const none = [
    '',
    ' ',
    'abc',
    '12345',
    '1234567',
    '123 4567',
    '12a456',
    'ABCDE-12345',
    '123456 or 654321',
    '555-123-4567',
  ]
  for (const typed of none) expect(readCode(typed), typed).toBeNull()
  expect(readCode(`${'1'.repeat(2_000_000)} 123456`)).toBeNull()
})

test('a recovery code is read in either case, with what is taken for its digits, and is never a code of six digits', () => {
  for (const typed of [
    'ABCDE-12345',
    'abcde12345',
    ' abcde 12345\u200b',
    'ＡＢＣＤＥ－１２３４５',
    'abcde–l2345',
    'ABCDE-١٢٣٤٥',
  ])
    expect(readRecoveryCode(typed), typed).toBe('ABCDE12345')
  expect(readRecoveryCode('OOOOO-IL111')).toBe('0000011111')
  for (const typed of ['123456', 'ABCDE-1234', 'ABCDE-123456', 'ABCDU-12345', ''])
    expect(readRecoveryCode(typed), typed).toBeNull()
})
