import { formatPrice } from '@tradepost/contract/gain'
import type { Mark } from '@tradepost/contract/marks'
import type { Position } from '@tradepost/contract/positions'
import { type MouseEvent, memo } from 'react'
import { holdLengthLabel } from '../../lib/hold-length-label.ts'
import { When } from '../../lib/when.tsx'
import { cn } from '../../ui/cn.ts'
import { CompanyName } from '../../ui/company-name.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { Struck } from '../../ui/struck.tsx'
import { TableCell, TableRow } from '../../ui/table.tsx'
import { Worth } from './live-value.tsx'
import { PublicFrom } from './public-from.tsx'
import { CELL, COLUMNS, LEFT_1, LEFT_2, LINES, RIGHT_1_2, RIGHT_3, SMALL } from './row-lines.ts'

/**
 * Five hundred rows, of which a screen shows twenty: out of sight a row is only as high as one of two lines, yet it is
 * searched, reached and read out like the others.
 */
const UNSEEN =
  '[content-visibility:auto] [contain-intrinsic-block-size:auto_4rem] md:min-h-15 md:[contain-intrinsic-block-size:auto_3.6875rem]'

/** A label under the plan; on a phone it is right of it. */
const BESIDE_PLAN =
  'lined:col-span-2 lined:col-start-2 lined:row-start-2 lined:row-end-4 lined:mr-2 lined:self-center lined:justify-self-end'

/** Most tickers have five letters at most; up to this length the words beside them fit on a phone. */
const SHORT_TICKER_LENGTH = 5

type PositionRowProps = {
  position: Position
  own: boolean
  /** The local day of the opening, how long ago it was, and of the day on which it becomes public: as of now, so that a row changes with them. */
  day: string
  age: string | null
  publicDay: string | null
  isPublic: boolean
  /** Whether there is an answer about what it is worth, if only that there is none. */
  showsWorth: boolean
  mark: Mark | undefined
  markAge: string | null
  onChoose: (position: Position) => void
}

/** An active position; all of it answers the pointer. */
export const PositionRow = memo(function PositionRow(props: PositionRowProps) {
  const { position, own, onChoose, showsWorth, mark, markAge, ...opened } = props
  /** The whole row answers the pointer; the button in it is what the keyboard reaches and the focus returns to. */
  function choose(event: MouseEvent<HTMLTableRowElement>): void {
    event.currentTarget.querySelector<HTMLElement>('[data-row-action]')?.focus({ preventScroll: true })
    onChoose(position)
  }
  return (
    <TableRow onClick={choose} className={cn('group/row', COLUMNS, LINES, UNSEEN, 'cursor-pointer')}>
      <TableCell className={cn(CELL, LEFT_1, 'lined:col-span-2 lined:col-start-2')}>
        <button
          translate="no"
          type="button"
          data-row-action
          aria-haspopup="dialog"
          className="cursor-pointer rounded-sm text-left font-semibold whitespace-nowrap outline-none focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-background lined:after:absolute lined:after:inset-0"
        >
          {position.stock.toUpperCase()}
        </button>
        <CompanyName name={position.companyName} className="md:max-lg:hidden" />
      </TableCell>
      <TraderCell username={position.user} own={own} />
      <TableCell className={cn(CELL, RIGHT_1_2, 'text-right font-medium md:max-xl:py-0')}>
        <span translate="no" className="block whitespace-nowrap lined:leading-4.75">
          {formatPrice(position.openPrice, mark?.price ?? position.openPrice)}
        </span>
        <span className="block h-4.5 text-[0.8125rem] leading-4.5 font-normal text-muted-foreground lined:whitespace-nowrap md:max-xl:h-8 md:max-xl:leading-4">
          {showsWorth && <Worth openPrice={position.openPrice} mark={mark} age={markAge} />}
        </span>
      </TableCell>
      <TableCell
        className={cn(CELL, RIGHT_3, SMALL, 'whitespace-nowrap lg:pl-10 lined:pl-3 lined:leading-4.5')}
      >
        <When iso={position.openedAt} day={opened.day} age={opened.age} />
      </TableCell>
      <TableCell className={cn(CELL, 'lined:contents')}>
        <span
          className={cn(
            LEFT_2,
            SMALL,
            'block lined:col-start-3 lined:truncate lined:leading-5 lined:before:mx-1 lined:before:content-["·"]',
          )}
        >
          {holdLengthLabel(position.holdLength)}
        </span>
        <Struck struck={position.struck} className={BESIDE_PLAN} />
        {!position.struck && (
          <PublicFrom
            day={opened.publicDay}
            isPublic={opened.isPublic}
            besideLong={position.stock.length > SHORT_TICKER_LENGTH}
            className={cn(BESIDE_PLAN, 'md:max-lg:whitespace-normal')}
          />
        )}
      </TableCell>
    </TableRow>
  )
})

/** On a phone the letters stand before both lines, and the name begins the second. */
function TraderCell({ username, own }: { username: string; own: boolean }) {
  return (
    <TableCell className={cn(CELL, 'lined:contents')}>
      <span className="flex items-center gap-2.5 lined:contents">
        <Monogram
          name={username}
          className="md:max-lg:hidden lined:row-span-6 lined:row-start-1 lined:mr-3 lined:size-8 lined:self-center max-[22.4rem]:hidden"
        />
        <span
          translate={own ? undefined : 'no'}
          className={cn(
            LEFT_2,
            SMALL,
            'min-w-0 wrap-anywhere lined:col-start-2 lined:truncate lined:leading-5',
          )}
        >
          {own ? 'Me' : username}
        </span>
      </span>
    </TableCell>
  )
}
