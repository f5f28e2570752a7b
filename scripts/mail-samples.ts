/**
 * `node scripts/mail-samples.ts [folder]`: every mail, and the unsubscribe page, as files for people to look at: HTML
 * for a browser in either theme, and the text part with its subject.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allDonePage } from '../server/src/mail/unsubscribe/all-traders-page.ts'
import { confirmPage, donePage, unknownPage } from '../server/src/mail/unsubscribe/unsubscribe-page.ts'
import { readSampleMails } from './pictures/sample-mails.ts'

const folder = process.argv[2] ?? join(import.meta.dirname, '../.cache/mails')

mkdirSync(folder, { recursive: true })
const mails = Object.entries(await readSampleMails())
for (const [name, { subject, html, text }] of mails) {
  if (html !== null) writeFileSync(join(folder, `${name}.html`), html)
  writeFileSync(join(folder, `${name}.txt`), `Subject: ${subject}\n\n${text}`)
}
const TOKEN = 'AAAAAAAAAAAAAAAAAAAAAA'
const LINK = { about: 'trader', trader: 'maria', allOff: false } as const
const pages = {
  confirm: confirmPage(LINK, TOKEN),
  done: donePage(LINK, TOKEN),
  'all-done': allDonePage(TOKEN),
  unknown: unknownPage(),
}
for (const [name, html] of Object.entries(pages))
  writeFileSync(join(folder, `unsubscribe-${name}.html`), html)
console.log(`${mails.length} mails and ${Object.keys(pages).length} pages in ${folder}`)
