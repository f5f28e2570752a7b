import { FEED_VERSION_EVERY_MS } from '@tradepost/contract/feed'
import { feedEndpoints } from '@tradepost/contract/feed-endpoints'
import { call } from '../../lib/api.ts'

/**
 * While no feed reaches the page, asks every minute and whenever somebody comes back to it whether something has changed.
 * @param onChange called after the first answer too, with nothing to compare it with: false is what it is told then
 */
export function watchVersion(
  isOpen: () => boolean,
  onChange: (isChange: boolean) => void,
  ending: AbortSignal,
): void {
  let known = ''
  let asking = false
  const ask = async () => {
    if (asking || isOpen() || document.visibilityState !== 'visible') return
    asking = true
    try {
      const { version } = await call(feedEndpoints.feedVersion, undefined, ending)
      if (version !== known && !isOpen()) onChange(known !== '')
      known = version
    } catch {
      // The next minute asks again; a session that has ended is gone by then.
    } finally {
      asking = false
    }
  }
  const timer = setInterval(ask, FEED_VERSION_EVERY_MS)
  ending.addEventListener('abort', () => clearInterval(timer))
  window.addEventListener('focus', ask, { signal: ending })
  document.addEventListener('visibilitychange', ask, { signal: ending })
}
