import type { ActivityItem } from '@tradepost/contract/activity'
import { formatPrice } from '@tradepost/contract/gain'
import type { Elements } from '../../ui/elements.ts'
import { Gain } from '../../ui/gain.tsx'

/** A price of an item, beside all others that it shows. */
export function priceIn({ close, openPrice, split }: ActivityItem, value: number): string {
  const { openPrice: after = value, openPriceBefore: before = value } = split ?? {}
  return formatPrice(value, openPrice, close?.price ?? value, before, after)
}

/** The gain that an item reports, in percent; null where nothing has ended. */
export function gainOf({ close, settlement }: ActivityItem): number | null {
  return close?.percentageGain ?? settlement?.percentageGain ?? null
}

type SentenceProps = {
  item: ActivityItem
  /** For what a row shows elsewhere: prices and the gain. */
  restClassName?: string
  /** Whether the gain ends it. */
  gain?: boolean
}

/** An event as the mail's sentence: who did what with which ticker, and then at which price and with which gain. */
export function ActivitySentence({ item, restClassName = '', gain = true }: SentenceProps) {
  const { lead, rest } = partsOf(item, gain)
  return (
    <>
      {lead}
      {rest && <span className={restClassName}>{rest}</span>}
    </>
  )
}

type Parts = { lead: Elements; rest: Elements }

function partsOf(item: ActivityItem, gain: boolean): Parts {
  const { close, kind, settlement, symbol } = item
  if (kind === 'closed' && close)
    return {
      lead: <Deed item={item} verb=" closed " />,
      rest: (
        <>
          <span>{close.settled === false ? ', settles at the next trade: last price ' : ' at '}</span>
          {price(priceIn(item, close.price))}
          {gain && <GainAfter value={close.percentageGain} />}
        </>
      ),
    }
  if (kind === 'settled' && settlement)
    return {
      lead: <Owned item={item} symbol={symbol} words=" settled" />,
      rest: (
        <>
          <span>{' at '}</span>
          {price(priceIn(item, settlement.price))}
          {gain && <GainAfter value={settlement.percentageGain} />}
        </>
      ),
    }
  if (kind === 'adjusted') return adjustedParts(item)
  return {
    lead: <Deed item={item} verb=" opened " />,
    rest: (
      <>
        <span>{' at '}</span>
        {price(priceIn(item, item.openPrice))}
      </>
    ),
  }
}

/** The change of a position. */
function adjustedParts(item: ActivityItem): Parts {
  const { correction, rename, split, strike, symbol } = item
  if (split)
    return {
      lead: (
        <Owned item={item} symbol={symbol} words={` was split ${split.newShares} for ${split.oldShares}`} />
      ),
      rest: (
        <>
          <span>{': open price '}</span>
          {price(priceIn(item, split.openPrice))}
        </>
      ),
    }
  if (rename)
    return {
      lead: (
        <>
          <Owned item={item} symbol={rename.symbolBefore} words=" is now traded as " />
          <span translate="no">{rename.symbolAfter}</span>
        </>
      ),
      rest: null,
    }
  if (correction)
    return {
      lead: <Owned item={item} symbol={symbol} words=", corrected" />,
      rest: (
        <>
          <span>{`: ${correction.end} price `}</span>
          {price(formatPrice(correction.price, correction.priceBefore))}
        </>
      ),
    }
  if (strike)
    return {
      lead: (
        <Owned item={item} symbol={symbol} before=" position in " words={` was struck: ${strike.reason}`} />
      ),
      rest: null,
    }
  return { lead: <Owned item={item} symbol={symbol} words=" was adjusted" />, rest: null }
}

function Deed({ item, verb }: { item: ActivityItem; verb: string }) {
  return (
    <>
      <Who item={item} />
      <span>{verb}</span>
      <span translate="no">{item.symbol}</span>
    </>
  )
}

type OwnedProps = { item: ActivityItem; symbol: string; before?: string; words: string }

function Owned({ item, symbol, before = ' ', words }: OwnedProps) {
  return (
    <>
      <Who item={item} possessive />
      <span>{before}</span>
      <span translate="no">{symbol}</span>
      <span>{words}</span>
    </>
  )
}

function Who({ item: { own, trader }, possessive = false }: { item: ActivityItem; possessive?: boolean }) {
  if (own) return <span>{possessive ? 'Your' : 'You'}</span>
  return (
    <>
      <span translate="no">{trader}</span>
      {possessive && <span>’s</span>}
    </>
  )
}

function GainAfter({ value }: { value: number }) {
  return (
    <>
      <span> </span>
      <Gain value={value} />
    </>
  )
}

function price(text: string) {
  return (
    <span translate="no" className="whitespace-nowrap tabular-nums">
      {text}
    </span>
  )
}
