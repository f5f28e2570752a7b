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
 * A day, and how long ago it was on a second line; on narrow screens both in one line, on the narrowest without the age where
 * the day has a year. The exact time is the title, and stands in the place of the age while the focus is on something of the
 * same row (`group/row`).
 */
export function When({ iso, day, age, dayAlone = false }: WhenProps) {
  const date = formatDate(iso)
  const onNarrow = dayAlone ? 'max-md:hidden' : day === date ? 'max-[24.3rem]:sr-only' : ''
  return (
    <time dateTime={iso} title={formatExactTime(iso)} className="block">
      <span className="block whitespace-nowrap max-md:hidden">{date}</span>
      <span className="md:hidden">{day}</span>
      <span className={`text-muted-foreground md:block md:text-[0.8125rem] md:leading-4.5 ${onNarrow}`}>
        <span className="md:hidden"> · </span>
        <span className="group-has-focus-visible/row:md:hidden">
          {age === null ? 'just now' : `${age} ago`}
        </span>
        <span aria-hidden="true" className="hidden group-has-focus-visible/row:md:inline">
          {formatClock(iso)}
        </span>
      </span>
    </time>
  )
}
