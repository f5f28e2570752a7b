import { existsSync } from 'node:fs'
import { webPaths } from '@tradepost/contract/web-paths'
import type { FastifyInstance } from 'fastify'
import MarkdownIt from 'markdown-it'
import type { WebDocuments } from './platform/http/web-documents.ts'
import { readTerms, readText } from './platform/operator-texts.ts'

/** By path: the file that holds the text, and the title of the browser's tab. */
const PAGES = [
  { path: webPaths.terms, file: 'terms.md', title: 'Terms' },
  { path: webPaths.privacy, file: 'privacy.md', title: 'Privacy' },
  { path: webPaths.contact, file: 'contact.md', title: 'Contact' },
] as const

/** Raw HTML stays text, and links lead to web pages and mail addresses alone; both are the library's defaults. */
const markdown = new MarkdownIt({ html: false, linkify: true })

/**
 * `/terms`, `/privacy` and `/contact` (rule G-86), for everybody: texts of the operator, read once at start.
 * @param folder holds any of `terms.md`, `privacy.md`, `contact.md`; null where the operator supplies none
 * @throws when there is no such folder
 */
export function textPagesRoutes(
  app: FastifyInstance,
  deps: { documents: WebDocuments; folder: string | null },
): void {
  if (deps.folder !== null && !existsSync(deps.folder))
    throw new Error(`TEXTS_DIR names a folder that is not there: ${deps.folder}`)
  const frame = deps.documents.read('text.html')
  for (const { path, file, title } of PAGES) {
    const written = markdown.render(readText(deps.folder, file))
    const text = path === webPaths.terms ? written + versionLine(deps.folder) : written
    const page = deps.documents.keep(frame.replace('__TITLE__', title).replace('__TEXT__', () => text))
    app.get(path, (_request, reply) => deps.documents.send(reply, page))
  }
}

/** The name that a checkout calls these terms by (rule G-125). */
function versionLine(folder: string | null): string {
  return `<p>These terms are version <span translate="no">${readTerms(folder).version}</span>.</p>\n`
}
