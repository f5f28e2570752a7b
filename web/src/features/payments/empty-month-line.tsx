import { settings } from '../../lib/settings.ts'

/** Before the button that pays: a month without anything published comes back (rule G-127), where this product returns it. */
export function EmptyMonthLine({ returns = settings.returnsEmptyMonths }: { returns?: boolean | undefined }) {
  if (!returns) return null
  return <p className="text-sm">A month in which nothing is published comes back to you.</p>
}

/** The same to the one who is paid, in Account > Payments. */
export function EmptyMonthNote({ returns = settings.returnsEmptyMonths }: { returns?: boolean | undefined }) {
  if (!returns) return null
  return (
    <p className="text-sm text-muted-foreground">
      A paid month in which nothing of yours reaches the follower goes back to them by itself, and your part
      of it with it. A mail says so a week before.
    </p>
  )
}
