import { useQuery } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { accountQuery } from '../features/account/account.api.ts'
import { MarketClock } from '../features/positions/market-clock.tsx'
import { OpenPositionForm } from '../features/positions/open-position-form.tsx'
import { TradeAlerts } from '../features/positions/trade-alerts.tsx'
import { TradeSkeleton } from '../features/positions/trade-skeleton.tsx'
import { useMarketOpen } from '../features/positions/use-market-clock.ts'
import { messageOf } from '../lib/api-refusal.ts'
import { useNavigate } from '../lib/router.tsx'
import { settings } from '../lib/settings.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'

/** /trade (docs/specification.md section 2). */
export function TradeScreen() {
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h1 className="text-2xl font-semibold tracking-tight">New position</h1>
        <ErrorBoundary>{settings.marketOverride === null && <MarketClock />}</ErrorBoundary>
      </div>
      <Trade />
    </div>
  )
}

function Trade() {
  const account = useQuery(accountQuery)
  const marketOpen = useMarketOpen(settings.marketOverride)
  const navigate = useNavigate()
  if (account.data === undefined) {
    return account.isError ? (
      <ErrorPanel message={messageOf(account.error)} onRetry={() => void account.refetch()} />
    ) : (
      <TradeSkeleton />
    )
  }
  const { username } = account.data
  return (
    <>
      <TradeAlerts username={username} marketOpen={marketOpen} />
      <OpenPositionForm
        username={username}
        marketOpen={marketOpen}
        onOpened={() => navigate(webPaths.home)}
      />
    </>
  )
}
