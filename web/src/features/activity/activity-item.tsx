import type { ActivityItem } from '@tradepost/contract/activity'
import { formatPrice } from '@tradepost/contract/gain'
import { HOLD_LENGTH_LABELS } from '@tradepost/contract/hold-length'
import { webPaths } from '@tradepost/contract/web-paths'
import type { ReactNode } from 'react'
import { formatClock, formatDate, formatExactTime } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { cn } from '../../ui/cn.ts'
import { CompanyName } from '../../ui/company-name.tsx'
import { Gain } from '../../ui/gain.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { mailedWords, mailingWords } from './mailing-words.ts'

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
}

/** One thing that was published. */
export function ActivityEntry({ isNew, item, marked }: EntryProps) {
  const heading = `${elementId(item.id)}-heading`
  return (
    <article
      id={elementId(item.id)}
      tabIndex={-1}
      aria-labelledby={heading}
      aria-current={marked || undefined}
      className={cn(
        'scroll-mt-20 space-y-3 rounded-xl border border-border bg-card p-4 outline-none focus-visible:ring-2 focus-visible:ring-ring md:px-5',
        marked && 'border-primary ring-2 ring-ring',
      )}
    >
      <header className="flex items-start gap-3">
        <Monogram name={item.trader} />
        <div className="min-w-0 flex-1">
          <h3 id={heading} className="font-medium wrap-anywhere">
            <What item={item} />
          </h3>
          <p className="flex flex-wrap items-baseline gap-x-2 text-sm text-muted-foreground">
            <time dateTime={item.at} title={formatExactTime(item.at)}>
              {formatClock(item.at)}
            </time>
            <CompanyName name={item.companyName} />
          </p>
        </div>
        {isNew && (
          <span className="rounded-full bg-primary px-2 text-xs font-semibold text-primary-foreground">
            New
          </span>
        )}
      </header>
      <Notes item={item} />
      <Mailed item={item} />
    </article>
  )
}

/** A price of an item, beside all others that it shows. */
function priceIn({ close, openPrice, split }: ActivityItem, value: number): string {
  const { openPrice: after = value, openPriceBefore: before = value } = split ?? {}
  return formatPrice(value, openPrice, close?.price ?? value, before, after)
}

/** The sentence of the mail, with the trader's name as the way to the profile. */
function What({ item }: { item: ActivityItem }) {
  const { close, correction, kind, settlement, split, symbol } = item
  const price = (value: number) => (
    <span className="whitespace-nowrap tabular-nums">{priceIn(item, value)}</span>
  )
  if (kind === 'closed' && close)
    return (
      <>
        <Who item={item} /> closed {symbol} {close.settled === false ? 'at the next trade, last price' : 'at'}{' '}
        {price(close.price)} <Gain value={close.percentageGain} />
      </>
    )
  if (kind === 'settled' && settlement)
    return (
      <>
        <Who item={item} possessive /> {symbol} settled at {price(settlement.price)}{' '}
        <Gain value={settlement.percentageGain} />
      </>
    )
  if (kind === 'adjusted' && split)
    return (
      <>
        <Who item={item} possessive /> {symbol} was split {split.newShares} for {split.oldShares}: open price{' '}
        {price(split.openPrice)}
      </>
    )
  if (kind === 'adjusted' && correction)
    return (
      <>
        <Who item={item} possessive /> {symbol}, corrected: {correction.end} price{' '}
        <span className="whitespace-nowrap tabular-nums">
          {formatPrice(correction.price, correction.priceBefore)}
        </span>
      </>
    )
  return (
    <>
      <Who item={item} /> opened {symbol} at {price(item.openPrice)}
    </>
  )
}

function Who({ item: { own, trader }, possessive = false }: { item: ActivityItem; possessive?: boolean }) {
  if (own) return possessive ? 'Your' : 'You'
  return (
    <>
      <Link
        to={webPaths.trader(trader)}
        className="rounded-sm outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring"
      >
        @{trader}
      </Link>
      {possessive && '’s'}
    </>
  )
}

function Notes({ item }: { item: ActivityItem }) {
  const { close, correction, holdLength, kind, openedAt, openNotes, openPrice, settlement, split } = item
  const opened =
    kind === 'opened'
      ? `planned for ${HOLD_LENGTH_LABELS[holdLength]}`
      : `${formatDate(openedAt)} at ${priceIn(item, openPrice)}`
  return (
    <dl className="space-y-3">
      {close && <Note name="Close notes">{close.notes}</Note>}
      {settlement?.by === 'last_price' && (
        <Note name="Settlement">There was no trade for ten session days, so the last price counts.</Note>
      )}
      {split && (
        <Note name="Split">
          {`Nothing was bought or sold: prices are counted in new shares. The open price was ${priceIn(item, split.openPriceBefore)} before.`}
        </Note>
      )}
      {correction && (
        <Note name="Correction">
          {`The ${correction.end} price was ${formatPrice(correction.priceBefore, correction.price)} before. ${correction.reason}`}
        </Note>
      )}
      <Note name={`Open notes · ${opened}`}>{openNotes}</Note>
    </dl>
  )
}

function Note({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className="mt-0.5 max-w-prose leading-relaxed wrap-anywhere whitespace-pre-wrap">{children}</dd>
    </div>
  )
}

function Mailed({ item: { mailedAfterSeconds, mailing } }: { item: ActivityItem }) {
  const words = mailing
    ? mailingWords(mailing)
    : mailedAfterSeconds !== undefined && mailedWords(mailedAfterSeconds)
  return words && <p className="text-sm text-muted-foreground tabular-nums">{words}</p>
}
