import { type Decimal, formatGain, isLoss } from '@tradepost/contract/gain'
import { localFormat } from '../../lib/format.ts'

const sessionFormat = localFormat({ dateStyle: 'medium', timeZone: 'UTC' })

/** A session, a day of UTC wherever the viewer is: `2026-11-20` as "Nov 20, 2026". */
export function formatSession(day: string): string {
  return sessionFormat(new Date(day))
}

/** `+12.34%`, `-3.20%` or `0.00%`. */
export function signedPercent(gain: Decimal): string {
  const shown = formatGain(gain)
  return isLoss(gain) || shown === '0.00' ? `${shown}%` : `+${shown}%`
}
