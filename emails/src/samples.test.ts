import { expect, test } from 'vitest'
import { sampleMails } from './samples.ts'

const all = Object.entries(sampleMails())

test.each(all)('the subject of the %s mail is one line', (_, mail) => {
  expect(mail.subject).not.toMatch(/[\r\n]/)
})

test('only mails to the operator are plain text', () => {
  expect(all.flatMap(([name, { html }]) => (html === null ? [name] : []))).toEqual([
    'operator-notice',
    'feedback',
  ])
})

test.each(
  all.flatMap(([name, mail]) => (mail.html === null ? [] : [[name, { ...mail, html: mail.html }] as const])),
)('the %s mail loads nothing, reads in the dark, and says in text what it says in HTML', (_, mail) => {
  expect(mail.html).not.toMatch(/<(img|script|link|iframe)\b/i)
  expect(mail.html).not.toMatch(/url\(|@import/)
  expect(mail.html).toContain('prefers-color-scheme:dark')
  expect(mail.html).toContain('max-width:600px')
  expect(mail.text).toContain('You get this mail because')
  for (const [, link] of mail.html.matchAll(/href="([^"]*)"/g)) {
    expect(mail.text).toContain(link?.replaceAll('&amp;', '&'))
  }
})
