import { RANKS_MAX_COUNT } from '@tradepost/contract/limits'

const countFormat = new Intl.NumberFormat('en-US')

/** The viewer's rank, in words, where the list does not show it. @param place from the leaderboard's answer */
export function ownRankText({ rank, ranked }: { rank: number | null; ranked: number | null }): string {
  const words = rank === null ? `is beyond ${countFormat.format(RANKS_MAX_COUNT)}` : countFormat.format(rank)
  return ranked === null ? `Your rank ${words}` : `Your rank ${words} of ${countFormat.format(ranked)}`
}
