/**
 * `node scripts/mail-samples.ts [folder]`: every mail, and the unsubscribe page, as files for people to look at: HTML
 * for a browser in either theme, and the text part with its subject.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { confirmPage, donePage, unknownPage } from '../server/src/notifications/unsubscribe-page.ts'

const root = join(import.meta.dirname, '..')
const folder = process.argv[2] ?? join(root, '.cache/mails')
const module = join(root, 'emails/dist', `samples.${process.pid}.mjs`)

mkdirSync(folder, { recursive: true })
await build({
  entryPoints: [join(root, 'emails/src/samples.ts')],
  outfile: module,
  bundle: true,
  platform: 'node',
  format: 'esm',
  jsx: 'automatic',
  packages: 'external',
})
const { sampleMails }: typeof import('../emails/src/samples.ts') = await import(pathToFileURL(module).href)
rmSync(module)
const mails = Object.entries(sampleMails())
for (const [name, { subject, html, text }] of mails) {
  if (html !== null) writeFileSync(join(folder, `${name}.html`), html)
  writeFileSync(join(folder, `${name}.txt`), `Subject: ${subject}\n\n${text}`)
}
const pages = { confirm: confirmPage('maria'), done: donePage('maria'), unknown: unknownPage() }
for (const [name, html] of Object.entries(pages))
  writeFileSync(join(folder, `unsubscribe-${name}.html`), html)
console.log(`${mails.length} mails and ${Object.keys(pages).length} pages in ${folder}`)
