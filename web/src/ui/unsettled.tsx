/** Beside the gain of a close that is unsettled: it is that of the last trade, and in no average (decision 0076). */
export function Unsettled() {
  return <span className="block text-xs font-normal text-muted-foreground">settles at the next trade</span>
}
