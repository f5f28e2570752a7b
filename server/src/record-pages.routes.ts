import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordKeys, RecordState } from '@tradepost/contract/record-keys'
import { sayRecordState } from '@tradepost/contract/record-words'
import { webPaths } from '@tradepost/contract/web-paths'
import type { FastifyInstance } from 'fastify'
import type { Clock } from './platform/clock.ts'
import type { WebDocuments } from './platform/http/web-documents.ts'

/** The record as its pages show it; each answers null until there is one. */
export type RecordSource = {
  keys(): Promise<RecordKeys | null>
  state(): Promise<RecordState | null>
}

/** Programs that check the record without this site, one file each (record/README.md). */
const PROGRAMS = ['verify.mjs', 'witness.mjs', 'mirror.mjs']
const PROGRAMS_FOLDER = join(import.meta.dirname, '../../record/built')

/**
 * `/record` and `/verify` (rule G-115), for everybody. The keys stand in the document, so that a receipt can be checked without a network;
 * the state stands there for readers without a script. Below `/record` are the programs too. The page of a record that cannot be read is answered without its state.
 */
export function recordPagesRoutes(
  app: FastifyInstance,
  { clock, documents, record }: { clock: Clock; documents: WebDocuments; record: RecordSource },
): void {
  const [verify, about] = [documents.read('verify.html'), documents.read('record.html')]
  app.get(webPaths.verify, async (_request, reply) => {
    // "<" is the only character that could end the script element early.
    const keys = JSON.stringify(await record.keys()).replaceAll('<', '\\u003c')
    const html = verify.replace('__RECORD_KEYS__', () => keys)
    // It names the address of its service worker, which is how it opens without a network.
    return documents.send(reply, html, { trustedTypes: 'service-worker' })
  })
  for (const name of PROGRAMS) {
    const program = readFileSync(join(PROGRAMS_FOLDER, name))
    app.get(`${webPaths.record}/${name}`, (_request, reply) =>
      reply
        .type('text/javascript; charset=utf-8')
        .header('cache-control', 'public, max-age=3600')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(program),
    )
  }
  app.get(webPaths.record, async (_request, reply) => {
    const state = await record.state().catch(() => null)
    return documents.send(
      reply,
      about.replace('__STATE__', () => stateHtml(state, clock.now())),
    )
  })
}

function stateHtml(state: RecordState | null, now: Date): string {
  if (state === null) return '<p>The record has not begun yet.</p>'
  return `<p><strong>${sayRecordState(state, now)}</strong></p>`
}
