import type { ActivityItem } from '@tradepost/contract/activity'
import { formatPrice } from '@tradepost/contract/gain'
import { webPaths } from '@tradepost/contract/web-paths'
import type { ReactNode } from 'react'
import { formatClock, formatDate, formatExactTime } from '../../lib/format.ts'
import { holdLengthLabel } from '../../lib/hold-length-label.ts'
import { Link } from '../../lib/router.tsx'
import { cn } from '../../ui/cn.ts'
import { CompanyName } from '../../ui/company-name.tsx'
import type { Elements } from '../../ui/elements.ts'
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

function price(text: string) {
  return (
    <span translate="no" className="whitespace-nowrap tabular-nums">
      {text}
    </span>
  )
}

/** The sentence of the mail, with the trader's name as the way to the profile. */
function What({ item }: { item: ActivityItem }) {
  const { close, kind, settlement, symbol } = item
  if (kind === 'closed' && close)
    return (
      <>
        <Who item={item} />
        <span>{' closed '}</span>
        <span translate="no">{symbol}</span>
        <span>{close.settled === false ? ', settles at the next trade: last price ' : ' at '}</span>
        {price(`${priceIn(item, close.price)} `)}
        <Gain value={close.percentageGain} />
      </>
    )
  if (kind === 'settled' && settlement)
    return (
      <>
        <Who item={item} possessive />
        <span translate="no">{` ${symbol}`}</span>
        <span>{' settled at '}</span>
        {price(`${priceIn(item, settlement.price)} `)}
        <Gain value={settlement.percentageGain} />
      </>
    )
  if (kind === 'adjusted') return <Adjusted item={item} />
  return (
    <>
      <Who item={item} />
      <span>{' opened '}</span>
      <span translate="no">{symbol}</span>
      <span>{' at '}</span>
      {price(priceIn(item, item.openPrice))}
    </>
  )
}

/** The change of a position. */
function Adjusted({ item }: { item: ActivityItem }) {
  const { correction, rename, split, strike, symbol } = item
  const owned = (words: string, value: Elements = null, before = ' ') => (
    <>
      <Who item={item} possessive />
      <span>{before}</span>
      <span translate="no">{rename?.symbolBefore ?? symbol}</span>
      <span>{words}</span>
      {value}
    </>
  )
  if (split)
    return owned(
      ` was split ${split.newShares} for ${split.oldShares}: open price `,
      price(priceIn(item, split.openPrice)),
    )
  if (rename) return owned(' is now traded as ', <span translate="no">{rename.symbolAfter}</span>)
  if (correction)
    return owned(
      `, corrected: ${correction.end} price `,
      price(formatPrice(correction.price, correction.priceBefore)),
    )
  if (strike) return owned(` was struck: ${strike.reason}`, null, ' position in ')
  return owned(' was adjusted')
}

function Who({ item: { own, trader }, possessive = false }: { item: ActivityItem; possessive?: boolean }) {
  if (own) return <span>{possessive ? 'Your' : 'You'}</span>
  return (
    <>
      <Link
        to={webPaths.trader(trader)}
        translate="no"
        className="rounded-sm outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring"
      >
        {`@${trader}`}
      </Link>
      {possessive && <span>’s</span>}
    </>
  )
}

const WAITS =
  'The position is closed. Its final price is that of the first trade after the close. Until then it counts in no average.'
const SETTLED_BY = {
  trade: 'It was the first trade after the close: this price is final, and counts from now on.',
  last_price: 'There was no trade for ten session days, so the last price counts.',
  operator: 'The share is no longer traded: this is what holders got for one.',
} as const

function Notes({ item }: { item: ActivityItem }) {
  const { close, correction, holdLength, kind, openedAt, openNotes, openPrice, rename, settlement, split } =
    item
  const opened =
    kind === 'opened'
      ? `planned for ${holdLengthLabel(holdLength)}`
      : `${formatDate(openedAt)} at ${priceIn(item, openPrice)}`
  return (
    <dl className="space-y-3">
      {close && <Note name="Close notes">{close.notes}</Note>}
      {close?.settled === false && <Note name="Settlement">{WAITS}</Note>}
      {settlement && <Note name="Settlement">{SETTLED_BY[settlement.by]}</Note>}
      {split && (
        <Note name="Split">
          {`Nothing was bought or sold: prices are counted in new shares. The open price was ${priceIn(item, split.openPriceBefore)} before.`}
        </Note>
      )}
      {rename && <Note name="New ticker">Nothing was bought or sold, and every price stays as it was.</Note>}
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
      <dd dir="auto" className="mt-0.5 max-w-prose leading-relaxed wrap-anywhere whitespace-pre-wrap">
        {children}
      </dd>
    </div>
  )
}

function Mailed({ item: { mailedAfterSeconds, mailing } }: { item: ActivityItem }) {
  const words = mailing
    ? mailingWords(mailing)
    : mailedAfterSeconds !== undefined && mailedWords(mailedAfterSeconds)
  return words && <p className="text-sm text-muted-foreground tabular-nums">{words}</p>
}
