import { queryOptions, useQuery } from '@tanstack/react-query'
import { historyEndpoints } from '@tradepost/contract/history-endpoints'
import type { HistoryEntry, HistoryReceipt } from '@tradepost/contract/position-history'
import { webPaths } from '@tradepost/contract/web-paths'
import { useId } from 'react'
import { call } from './api.ts'
import { formatExactTime, formatTime } from './format.ts'
import { historyWords } from './position-history-words.ts'
import { triedOnce } from './query-client.ts'

/** It is asked for when a window opens, and what changes positions makes it stale (its key begins with their word). */
function positionHistoryQuery(trader: string, id: string) {
  return queryOptions({
    queryKey: ['positions', 'history', trader.toLowerCase(), id],
    queryFn: ({ signal }) => call(historyEndpoints.positionHistory, { username: trader, id }, signal),
    ...triedOnce(0),
  })
}

type PositionHistoryProps = {
  /** Username. */
  trader: string
  id: string
  /** Whether it is shown while it is loaded, and where nothing but the opening is in it. */
  always?: boolean
}

/** In the window of a position: what became of it, the oldest first. */
export function PositionHistory({ trader, id, always = false }: PositionHistoryProps) {
  const heading = useId()
  const { data, isError, refetch } = useQuery(positionHistoryQuery(trader, id))
  const history = data?.history
  const isShown = always || isError || (history !== undefined && history.length > 1)
  return (
    <>
      {isShown && (
        <section aria-labelledby={heading}>
          <h3 id={heading} className="text-sm text-muted-foreground">
            History
          </h3>
          {history ? (
            <Entries history={history} />
          ) : isError ? (
            <Failed onRetry={() => void refetch()} />
          ) : (
            <Loading />
          )}
        </section>
      )}
      {!isError && <Receipts receipts={data && (data.receipts ?? [])} />}
    </>
  )
}

/**
 * The way to check each event in the public record (rule G-116). Its line is there before its links: a button below it that moved while it
 * is pressed would lose the press.
 */
function Receipts({ receipts }: { receipts: readonly HistoryReceipt[] | undefined }) {
  return (
    <p className="text-sm leading-6 text-muted-foreground">
      <span>In the public record:</span>
      {receipts?.length === 0 && <span className="ml-2">no entry</span>}
      {receipts?.map(({ index, receipt }) => (
        <a
          key={index}
          href={`${webPaths.verify}#${receipt}`}
          className="ml-2 inline-flex min-h-6 items-center rounded-sm text-foreground underline underline-offset-4 outline-none focus-visible:ring-2 focus-visible:ring-ring"
        >
          {`entry ${index.toLocaleString('en-US')}`}
        </a>
      ))}
    </p>
  )
}

function Entries({ history }: { history: readonly HistoryEntry[] }) {
  const words = historyWords(history)
  return (
    <ol className="mt-2 space-y-3 border-l border-border pl-4">
      {history.map((entry, at) => (
        <li key={[entry.at, entry.kind, words[at]?.what].join()}>
          <time
            dateTime={entry.at}
            title={formatExactTime(entry.at)}
            className="block text-sm text-muted-foreground"
          >
            {formatTime(entry.at)}
          </time>
          <p className="leading-snug wrap-anywhere tabular-nums">{words[at]?.what}</p>
          {words[at]?.why && <p className="text-sm wrap-anywhere text-muted-foreground">{words[at].why}</p>}
        </li>
      ))}
    </ol>
  )
}

/** As high as the two entries that most closed positions have. */
function Loading() {
  return (
    <p role="status" className="mt-2 h-25 border-l border-border pl-4 text-sm text-muted-foreground">
      Loading…
    </p>
  )
}

function Failed({ onRetry }: { onRetry: () => void }) {
  return (
    <p className="mt-2 text-sm">
      <span>The history could not be loaded. </span>
      <button
        type="button"
        onClick={onRetry}
        className="cursor-pointer rounded-sm font-medium underline underline-offset-4 outline-none focus-visible:ring-2 focus-visible:ring-ring"
      >
        Try again
      </button>
    </p>
  )
}
