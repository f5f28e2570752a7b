import { expect, test } from 'vitest'
import { sampleMails } from './samples.ts'

test.each(Object.entries(sampleMails()))(
  'the %s mail loads nothing, reads in the dark, and says in text what it says in HTML',
  (_, mail) => {
    expect(mail.subject).not.toMatch(/[\r\n]/)
    expect(mail.html).not.toMatch(/<(img|script|link|iframe)\b/i)
    expect(mail.html).not.toMatch(/url\(|@import/)
    expect(mail.html).toContain('prefers-color-scheme:dark')
    expect(mail.html).toContain('max-width:600px')
    expect(mail.text).toContain('You get this mail because')
    for (const [, link] of mail.html.matchAll(/href="([^"]*)"/g)) {
      expect(mail.text).toContain(link?.replaceAll('&amp;', '&'))
    }
  },
)
