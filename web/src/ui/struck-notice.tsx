import type { Strike } from '@tradepost/contract/strike'

/** Why an operator has struck a position (ADR 0079), in its window; nothing beside others. */
export function StruckNotice({ struck, struckReason }: Strike) {
  if (!struck || !struckReason) return null
  return (
    <p className="rounded-lg bg-muted px-4 py-2.5 wrap-anywhere">
      {`Struck by Tradepost: ${withStop(struckReason)} It counts nowhere.`}
    </p>
  )
}

function withStop(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`
}
