import type { FeedMessage } from '@tradepost/contract/feed'
import { formatPrice } from '@tradepost/contract/gain'
import { MAIN_SCREEN_TOAST_MS } from '@tradepost/contract/limits'
import { closedSubject, openedSubject } from '@tradepost/contract/position-mail'
import { toast } from '../../ui/toast.ts'

type Signal = Extract<FeedMessage, { position: unknown }>

/** What comes within this is announced together. */
const GATHERED_MS = 300
const SINGLE_MOST = 3

/** Announces new signals as toasts, which a screen reader reads when it pauses; several at once as one. */
export function makeAnnouncer(): { announce(signal: Signal): void } {
  let gathered: Signal[] = []
  const show = () => {
    const texts = gathered.map(textOf)
    gathered = []
    // Nobody sees a toast in a hidden tab; the list has it all.
    if (document.visibilityState !== 'visible') return
    if (texts.length > SINGLE_MOST) toast(`${texts.length} new signals`, { duration: MAIN_SCREEN_TOAST_MS })
    else for (const text of texts) toast(text, { duration: MAIN_SCREEN_TOAST_MS })
  }
  return {
    announce(signal) {
      if (gathered.length === 0) setTimeout(show, GATHERED_MS)
      gathered.push(signal)
    },
  }
}

function textOf(signal: Signal): string {
  const { openPrice, stock: symbol, user: trader } = signal.position
  if (signal.type === 'opened') return openedSubject({ trader, symbol, openPrice })
  if (signal.type === 'closed') return closedSubject({ trader, symbol, openPrice, ...signal })
  if (signal.type === 'settled')
    return `@${trader}'s ${symbol} settled at ${formatPrice(signal.closePrice, openPrice)}`
  return `@${trader}'s ${symbol} was adjusted`
}
