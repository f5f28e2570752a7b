import type { FeedMessage } from '@tradepost/contract/feed'
import { formatPrice } from '@tradepost/contract/gain'
import { MAIN_SCREEN_TOAST_MS } from '@tradepost/contract/limits'
import { closedSubject, openedSubject } from '@tradepost/contract/position-mail'
import { type ScreenName, webRoutes } from '@tradepost/contract/web-routes'
import { toast } from '../../ui/toast.ts'
import { findRoute } from '../find-route.ts'

type Signal = Extract<FeedMessage, { position: unknown }>

/** What comes within this is announced together. */
const GATHERED_MS = 300
const SINGLE_MOST = 3

const MAIN_SCREENS: readonly ScreenName[] = ['positions', 'leaderboard', 'search', 'trade', 'trader']

/** Announces new signals as toasts, which a screen reader reads when it pauses; several at once as one. */
export function makeAnnouncer(): { announce(signal: Signal): void } {
  let gathered: Signal[] = []
  const show = () => {
    const texts = gathered.map(textOf)
    gathered = []
    // Nobody sees a toast in a hidden tab; the list has it all.
    if (document.visibilityState !== 'visible') return
    const shown = texts.length > SINGLE_MOST ? [`${texts.length} new signals`] : texts
    for (const text of shown) toast(text, isMainScreen() ? { duration: MAIN_SCREEN_TOAST_MS } : undefined)
  }
  return {
    announce(signal) {
      if (gathered.length === 0) setTimeout(show, GATHERED_MS)
      gathered.push(signal)
    },
  }
}

/** Elsewhere a toast stays for the library's own time (docs/specification.md section 9). */
function isMainScreen(): boolean {
  const found = findRoute(Object.values(webRoutes), location.pathname, true)
  return 'shown' in found && MAIN_SCREENS.includes(found.shown.screen)
}

function textOf(signal: Signal): string {
  const { openPrice, stock: symbol, user: trader } = signal.position
  if (signal.type === 'opened') return openedSubject({ trader, symbol, openPrice })
  if (signal.type === 'closed') return closedSubject({ trader, symbol, openPrice, ...signal })
  if (signal.type === 'settled')
    return `@${trader}'s ${symbol} settled at ${formatPrice(signal.closePrice, openPrice)}`
  return `@${trader}'s ${symbol} was adjusted`
}
