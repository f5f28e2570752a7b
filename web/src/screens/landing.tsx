import { formatMoney } from '@tradepost/contract/money'
import { withTaxWords } from '@tradepost/contract/tax-words'
import { LandingPage } from '../features/landing/landing-page.tsx'
import { ServedBoard } from '../features/landing/served-board.tsx'
import { settings } from '../lib/settings.ts'

/** / for visitors. */
export function LandingScreen() {
  const { platformFeePercent, subscription, taxLiable } = settings
  const price = formatMoney(subscription.priceCents, subscription.currency)
  return (
    <LandingPage
      price={price}
      taxWords={withTaxWords('', taxLiable)}
      feePercent={String(platformFeePercent)}
      board={<ServedBoard />}
    />
  )
}
