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
import {
  AFTER_DOT,
  AFTER_LONG_PRICE,
  AFTER_SHORT_PRICE,
  CELL,
  COLUMNS,
  LEFT_1,
  LEFT_2,
  LINES,
  OPEN_PRICE,
  PRICES,
  RIGHT,
  SHORT_PRICE_LENGTH,
  SMALL,
} from './row-lines.ts'

/**
 * Five hundred rows, of which a screen shows twenty: out of sight a row is only as high as one of two lines, yet it is
 * searched, reached and read out like the others.
 */
const UNSEEN =
  '[content-visibility:auto] [contain-intrinsic-block-size:auto_4rem] md:min-h-15 md:[contain-intrinsic-block-size:auto_3.6875rem]'

/** A label under the plan; on a phone it is right of the ticker. */
const BESIDE_PLAN =
  'lined:col-span-3 lined:col-start-2 lined:row-start-1 lined:self-center lined:justify-self-end'

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
  over: string | null
  /** Whether there is an answer about what it is worth, if only that there is none. */
  showsWorth: boolean
  mark: Mark | undefined
  markAge: string | null
  onChoose: (position: Position) => void
}

/** An active position; all of it answers the pointer. */
export const PositionRow = memo(function PositionRow(props: PositionRowProps) {
  const { position, own, onChoose, showsWorth, mark, markAge, ...opened } = props
  const isShort = formatPrice(position.openPrice).length <= SHORT_PRICE_LENGTH
  /** The whole row answers the pointer; the button in it is what the keyboard reaches and the focus returns to. */
  function choose(event: MouseEvent<HTMLTableRowElement>): void {
    event.currentTarget.querySelector<HTMLElement>('[data-row-action]')?.focus({ preventScroll: true })
    onChoose(position)
  }
  return (
    <TableRow
      onClick={choose}
      data-long={isShort ? undefined : ''}
      className={cn('group/row', COLUMNS, LINES, UNSEEN, 'cursor-pointer')}
    >
      <TableCell className={cn(CELL, LEFT_1, 'lined:col-span-3 lined:col-start-2')}>
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
      <TableCell className={cn(CELL, RIGHT, PRICES, isShort ? AFTER_SHORT_PRICE : AFTER_LONG_PRICE)}>
        <span translate="no" data-slot="open-price" className={OPEN_PRICE}>
          {formatPrice(position.openPrice, mark?.price ?? position.openPrice)}
        </span>
        <Worth position={position} mark={mark} age={markAge} known={showsWorth} />
      </TableCell>
      <TableCell
        className={cn(
          CELL,
          LEFT_2,
          SMALL,
          AFTER_DOT,
          'whitespace-nowrap lg:pl-10 lined:col-start-3 lined:flex',
        )}
      >
        <When iso={position.openedAt} day={opened.day} age={opened.age} dayAlone />
      </TableCell>
      <TableCell className={cn(CELL, 'lined:contents')}>
        <span className={cn(LEFT_2, SMALL, AFTER_DOT, 'block lined:col-start-4 lined:truncate')}>
          {holdLengthLabel(position.holdLength)}
        </span>
        <Struck struck={position.struck} className={BESIDE_PLAN} />
        {!position.struck && (
          <PublicFrom
            day={opened.publicDay}
            isPublic={opened.isPublic}
            over={opened.over}
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
          className="md:max-lg:hidden lined:row-span-2 lined:row-start-1 lined:mr-3 lined:size-8 lined:self-center max-[22.4rem]:hidden"
        />
        <span
          translate={own ? undefined : 'no'}
          className={cn(
            LEFT_2,
            SMALL,
            'min-w-0 wrap-anywhere lined:col-start-2 lined:truncate lined:leading-4.5',
          )}
        >
          {own ? 'Me' : username}
        </span>
      </span>
    </TableCell>
  )
}
