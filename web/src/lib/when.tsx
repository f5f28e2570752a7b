import { formatClock, formatDate, formatExactTime } from './format.ts'

type WhenProps = {
  /** ISO 8601. */
  iso: string
  /** The local day in short, for narrow screens. */
  day: string
  /** How long ago, in short; null for less than a minute. */
  age: string | null
  /** On narrow screens the day alone, where another day follows in the same line. */
  dayAlone?: boolean
}

/**
 * A day, and how long ago it was on a second line; on narrow screens both in one line. The exact time is the title, and
 * stands in the place of the age while the focus is on something of the same row (`group/row`).
 */
export function When({ iso, day, age, dayAlone = false }: WhenProps) {
  return (
    <time dateTime={iso} title={formatExactTime(iso)} className="block">
      <span className="block whitespace-nowrap max-md:hidden">{formatDate(iso)}</span>
      <span className="md:hidden">{dayAlone ? day : `${day} · `}</span>
      <span
        className={`text-muted-foreground md:block md:text-[0.8125rem] md:leading-4.5 ${dayAlone ? 'max-md:hidden' : ''}`}
      >
        <span className="group-has-focus-visible/row:md:hidden">
          {age ?? 'just now'}
          {age !== null && <span className="max-md:sr-only"> ago</span>}
        </span>
        <span aria-hidden="true" className="hidden group-has-focus-visible/row:md:inline">
          {formatClock(iso)}
        </span>
      </span>
    </time>
  )
}
