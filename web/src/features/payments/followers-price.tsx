import type { OwnPrices } from '@tradepost/contract/subscription-price'

/** Below a trader's price: how many followers pay less, since a higher price waits for their answer (rule G-122). Nothing where none does. */
export function FollowersPrice({ prices }: { prices: OwnPrices }) {
  const { followersAgreed: agreed = 0, followersBelow: below = 0 } = prices
  if (agreed === 0 && below === 0) return null
  return (
    <p className="text-sm text-muted-foreground">
      {[belowSentence(below), agreedSentence(agreed)].filter(Boolean).join(' ')}
    </p>
  )
}

function belowSentence(count: number): string {
  if (count === 0) return ''
  return count === 1
    ? 'One follower pays less and has not agreed to the present price.'
    : `${count} followers pay less and have not agreed to the present price.`
}

function agreedSentence(count: number): string {
  if (count === 0) return ''
  return count === 1
    ? 'One follower has agreed to it and pays it from a coming renewal on.'
    : `${count} followers have agreed to it and pay it from a coming renewal on.`
}
