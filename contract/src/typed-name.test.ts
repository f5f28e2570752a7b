import { expect, test } from 'vitest'
import { readUsername } from './typed-name.ts'

test('a name is read as mails and pages write it, and as a person sees it', () => {
  for (const typed of [
    'Maria',
    '@Maria',
    ' @Maria ',
    '＠Maria',
    '@ Maria',
    '\u200b@Ma\u00adria\u2060',
    'Ｍａｒｉａ',
    '\u202a@Maria\u202c',
  ])
    expect(readUsername(typed), typed).toBe('Maria')
  expect(readUsername('@')).toBe('')
  expect(readUsername('maria@example')).toBe('maria@example')
})
