import type { ActivityItem } from '@tradepost/contract/activity'
import { formatPrice } from '@tradepost/contract/gain'
import { formatExactTime, formatTimeOfDay } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { Gain } from '../../ui/gain.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { ActivitySentence, gainOf, priceIn } from './activity-sentence.tsx'
import { explanationOf } from './explanation.ts'

/** The element of an item, by its id. */
export function elementId(id: string): string {
  return `activity-${id}`
}

type EntryProps = {
  item: ActivityItem
  /** Whether it was unread when this list was first shown with it. */
  isNew: boolean
  /** Whether a mail led here. */
  marked: boolean
  onChoose: (item: ActivityItem) => void
}

/** One thing that was published, in two lines; all of it opens its position. */
export function ActivityEntry({ isNew, item, marked, onChoose }: EntryProps) {
  const heading = `${elementId(item.id)}-heading`
  return (
    <article
      id={elementId(item.id)}
      aria-labelledby={heading}
      aria-current={marked || undefined}
      className={cn(
        'relative flex min-h-18 scroll-mt-20 items-center gap-3 border-b border-border py-2 hover:bg-accent md:px-3',
        marked && 'rounded-lg bg-accent',
      )}
    >
      {isNew && (
        <span
          data-slot="unread"
          aria-hidden="true"
          className="absolute top-1/2 -left-3 size-2 -translate-y-1/2 rounded-full bg-action outline-1 outline-transparent"
        />
      )}
      <Monogram name={item.trader} className="size-8" />
      <div className="min-w-0 flex-1">
        {/* Where a long name and its ticker have no room in one line they take two. */}
        <h3 id={heading} className="leading-6 font-medium sm:truncate">
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={() => onChoose(item)}
            className="max-w-full cursor-pointer text-left wrap-anywhere sm:truncate outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:ring-2 focus-visible:after:ring-ring"
          >
            <ActivitySentence item={item} restClassName="sr-only" />
            {isNew && <span className="sr-only">, unread</span>}
          </button>
        </h3>
        <p data-slot="first-line" dir="auto" className="truncate text-sm text-muted-foreground">
          {explanationOf(item) ?? item.close?.notes ?? item.openNotes}
        </p>
      </div>
      <div className="shrink-0 text-right">
        <p aria-hidden="true" className="leading-6">
          <Figure item={item} />
        </p>
        <p className="text-[0.8125rem] leading-5 text-muted-foreground tabular-nums">
          <time dateTime={item.at} title={formatExactTime(item.at)}>
            {formatTimeOfDay(item.at)}
          </time>
        </p>
      </div>
    </article>
  )
}

/** The gain, or else the price that the event is about. */
function Figure({ item }: { item: ActivityItem }) {
  const gain = gainOf(item)
  if (gain !== null) return <Gain value={gain} className="font-semibold" />
  const { correction, kind, split } = item
  const price = correction
    ? formatPrice(correction.price, correction.priceBefore)
    : kind === 'opened' || split
      ? priceIn(item, item.openPrice)
      : null
  return (
    price && (
      <span translate="no" className="tabular-nums">
        {price}
      </span>
    )
  )
}
