import { formatMoney } from '@tradepost/contract/money'
import { LandingPage } from '../features/landing/landing-page.tsx'
import { ServedBoard } from '../features/landing/served-board.tsx'
import { settings } from '../lib/settings.ts'

/** / for visitors. */
export function LandingScreen() {
  const { platformFeePercent, subscription } = settings
  const price = formatMoney(subscription.priceCents, subscription.currency)
  return <LandingPage price={price} feePercent={String(platformFeePercent)} board={<ServedBoard />} />
}
