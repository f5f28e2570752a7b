import { type Decimal, formatPrice } from '@tradepost/contract/gain'
import type { PricePreview } from '@tradepost/contract/quotes'
import { messageOf } from '../../lib/api-refusal.ts'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { movedPrice } from './trades.api.ts'
import type { PriceCheck } from './use-price-check.ts'

type MovedNoticeProps = {
  /** The error of the last press. */
  error: unknown
  price: PriceCheck
  /** Prices that are shown near it. */
  beside?: readonly Decimal[]
}

/** Above the button: that the price has moved, and from what to what. The form has the new one, so it is pressed once more. */
export function MovedNotice({ error, price: { preview, was }, beside = [] }: MovedNoticeProps) {
  if (was === null || preview === null || !movedPrice(error)) return null
  const [before, now] = [
    formatPrice(was, preview.price, ...beside),
    formatPrice(preview.price, was, ...beside),
  ]
  return (
    <Alert>
      <AlertDescription>{`${messageOf(error)} It was ${before} and is ${now} now.`}</AlertDescription>
    </Alert>
  )
}

/**
 * For the moment in which a held price is sent: has the form take the new one where that is what the refusal brings.
 * @param used the price that is sent
 */
export function takeMoved(price: PriceCheck, used: PricePreview): (error: unknown) => void {
  const sentAt = Date.now()
  return (error) => {
    const now = movedPrice(error)
    if (now) price.move(used, now, sentAt)
  }
}
