import type { Position } from '@tradepost/contract/positions'

/** The tabs of the positions page in their order, query value to label (docs/specification.md section 2). */
export const POSITION_TAB_LABELS = {
  all: 'All',
  personal: 'Personal',
  subscription: 'Subscription',
} as const

export type PositionTab = keyof typeof POSITION_TAB_LABELS

export const POSITION_TABS = Object.keys(POSITION_TAB_LABELS) as PositionTab[]

/** The tab that the query parameter `tab` names; none or an unknown one is All (rule G-43). */
export function parsePositionTab(parameter: string | null): PositionTab {
  return POSITION_TABS.find((tab) => tab === parameter) ?? 'all'
}

/**
 * The active positions a tab shows: Personal the viewer's own, Subscription those of others, All both.
 * @param username the viewer's, empty until set; nobody owns a position without one
 * @param trader username of somebody whose alone are meant; null for all
 */
export function positionsOfTab(
  positions: readonly Position[],
  tab: PositionTab,
  username: string,
  trader: string | null = null,
): Position[] {
  return positions.filter((position) => {
    if (!position.active || (trader !== null && !isOwn(position, trader))) return false
    if (tab === 'all') return true
    return isOwn(position, username) === (tab === 'personal')
  })
}

/** Whether the viewer published the position; usernames are unique without regard to case (rule G-20). */
export function isOwn(position: Position, username: string): boolean {
  return username !== '' && position.user.toLowerCase() === username.toLowerCase()
}
