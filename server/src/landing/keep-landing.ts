import { BOARD_PLACE, type LandingBoard } from '@tradepost/contract/landing-board'
import { homeRoute } from '@tradepost/contract/web-routes'
import type { Clock } from '../platform/clock.ts'
import type { KeptDocument, WebDocuments } from '../platform/http/web-documents.ts'
import { type Log, reasonOf } from '../platform/log.ts'

/** After so long the board is read again; together with the time until somebody looks, it is a minute (rule G-108). */
const DUE_AFTER_MS = 50_000
const LOOK_EVERY_MS = 10_000

type LandingDeps = {
  clock: Clock
  log: Log
  documents: WebDocuments
  /** @returns null where there is none to show */
  readBoard(): Promise<LandingBoard | null>
  /** @returns HTML */
  draw(board: LandingBoard): Promise<string>
}

/**
 * Keeps the document of / with the board in it (ADR 0115). It is renewed beside the answers, which never wait for it: until the first
 * board is there they hold the sample of the build, and while none can be read the last one.
 * @returns the document of this moment; `start`, once the database is there, and `stop` begin and end the renewing without readers
 */
export function keepLanding(deps: LandingDeps): { document(): KeptDocument; start(): void; stop(): void } {
  const { clock, documents, log } = deps
  const built = documents.read(homeRoute.document)
  let kept = documents.keep(built)
  let begunAt: number | null = null
  let isUnderWay = false
  let isStopped = false

  async function renew(): Promise<void> {
    const board = await deps.readBoard()
    const html = board === null ? built : withBoard(built, await deps.draw(board))
    if (html === kept.html) return
    const next = documents.keep(html)
    await next.compress()
    kept = next
  }
  function look(): void {
    const now = clock.now().getTime()
    // When the clock was set back, a beginning in the future does not count.
    const isFresh = begunAt !== null && now >= begunAt && now < begunAt + DUE_AFTER_MS
    if (isFresh || isUnderWay || isStopped) return
    begunAt = now
    isUnderWay = true
    renew()
      .catch((error) => {
        if (!isStopped) log.warn({ reason: reasonOf(error) }, 'the landing page could not be renewed')
      })
      .finally(() => {
        isUnderWay = false
      })
  }
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      look()
      timer = setInterval(look, LOOK_EVERY_MS).unref()
    },
    document() {
      look()
      return kept
    },
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}

/** @throws when the document has no place for it */
function withBoard(html: string, board: string): string {
  const from = html.indexOf(BOARD_PLACE.begin)
  const to = html.indexOf(BOARD_PLACE.end)
  if (from === -1 || to < from) throw new Error(`${homeRoute.document} has no place for the board`)
  return html.slice(0, from + BOARD_PLACE.begin.length) + board + html.slice(to)
}
