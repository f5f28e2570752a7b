/**
 * In a list beside the gain of a close that is unsettled: it is that of the last trade, and in no average (ADR 0076). On the narrowest
 * screens in two lines, since the dates stand beside it.
 */
export function Unsettled() {
  return (
    <span className="block text-xs font-normal text-muted-foreground lined:max-[24.3rem]:ml-auto lined:max-[24.3rem]:w-21 lined:max-[24.3rem]:leading-3.5">
      settles at the next trade
    </span>
  )
}

/** In the window of such a close: what that means. */
export function UnsettledNote() {
  return (
    <p role="note" className="text-sm">
      The position is closed and settles at the next trade, which gives it its final price. Until then the
      profit is that of the last trade, and counts in no average.
    </p>
  )
}
