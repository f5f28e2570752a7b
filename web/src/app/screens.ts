import type { ScreenName } from '@tradepost/contract/web-routes'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { reloadIfGone } from '../lib/gone-part.ts'

type Screen = {
  Component: LazyExoticComponent<ComponentType>
  /** Fetches the screen's chunk ahead of its use. */
  preload: () => void
}

function screen(load: () => Promise<ComponentType>): Screen {
  return {
    Component: lazy(async () => {
      try {
        return { default: await load() }
      } catch (failure) {
        await reloadIfGone(failure)
        throw failure
      }
    }),
    preload() {
      // Without a network the screen itself will show the failure.
      load().catch(() => undefined)
    },
  }
}

/** Every screen that the route table names, each in a separate chunk. */
export const screens: Readonly<Record<ScreenName, Screen>> = {
  landing: screen(async () => (await import('../screens/landing.tsx')).LandingScreen),
  login: screen(async () => (await import('../screens/login.tsx')).LoginScreen),
  positions: screen(async () => (await import('../screens/positions.tsx')).PositionsScreen),
  leaderboard: screen(async () => (await import('../screens/leaderboard.tsx')).LeaderboardScreen),
  search: screen(async () => (await import('../screens/search.tsx')).SearchScreen),
  trade: screen(async () => (await import('../screens/trade.tsx')).TradeScreen),
  trader: screen(async () => (await import('../screens/trader.tsx')).TraderScreen),
  subscribe: screen(async () => (await import('../screens/subscribe.tsx')).SubscribeScreen),
  paymentSuccess: screen(async () => (await import('../screens/payment-success.tsx')).PaymentSuccessScreen),
  account: screen(async () => (await import('../screens/account.tsx')).AccountScreen),
  activity: screen(async () => (await import('../screens/activity.tsx')).ActivityScreen),
  notFound: screen(async () => (await import('../screens/not-found.tsx')).NotFoundScreen),
}
