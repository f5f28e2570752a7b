import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAIL_PAGE_COLOURS, mailPage } from './mail-page.ts'

test('a page that a mail leads to has the colours and the font of the app, in both themes, and no script', () => {
  const sheet = readFileSync(join(import.meta.dirname, '../../../../web/src/styles.css'), 'utf8')
  const themeOf = (selector: string) => {
    const [, block = ''] = new RegExp(`\\n${selector} \\{\\n([^}]*)\\}`).exec(sheet) ?? []
    return Object.fromEntries(
      [...block.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]),
    )
  }
  expect(themeOf(':root')).toMatchObject(MAIL_PAGE_COLOURS.dark)
  expect(themeOf('@utility light-theme')).toMatchObject(MAIL_PAGE_COLOURS.light)
  const page = mailPage('A title', '<h1>A title</h1>')
  expect(page).toContain('font-family:Geist')
  expect(page).not.toContain('<script')
})
