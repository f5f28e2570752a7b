import type { Mark } from '@tradepost/contract/marks'

type Rights = Mark['rights']

/** That what stands above is less than prices of now (rule G-130); nothing where prices are live. */
export function RightsNote({ rights }: { rights: Rights }) {
  if (rights === undefined) return null
  return (
    <p className="mt-3 text-sm text-muted-foreground">
      {rights === 'delayed' ? 'Prices are shown 15 minutes late.' : 'Gains so far are in whole percent.'}
    </p>
  )
}

/** The words beside a gain that is counted from a late price; false beside any other. */
export function lateText(rights: Rights): string | false {
  return rights === 'delayed' && '15 min late'
}
