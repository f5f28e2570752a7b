import { formatPrice } from '@tradepost/contract/gain'
import type { PublicRecord } from '@tradepost/contract/public-record'
import type { ReactNode } from 'react'
import { cn } from '../ui/cn.ts'
import { Gain } from '../ui/gain.tsx'
import { lateText } from '../ui/rights-note.tsx'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '../ui/table.tsx'
import { PublicSection } from './public-section.tsx'
import { dayText } from './public-words.ts'

/** The positions of a public page that were closed last. */
export function Recent({ of: { latest } }: { of: PublicRecord }) {
  if (latest.length === 0) return null
  return (
    <PublicSection id="recent" title="Recent positions" className="space-y-3">
      <Positions id="recent" columns={['Opened', 'Closed', 'Profit']}>
        {latest.map(({ closed, percentageGain, settled, struck, ...stock }) => (
          <Position key={stock.opened + stock.symbol} {...stock} second={dayText(closed)}>
            <Gain value={percentageGain} />
            <Note>{struck ? 'struck, counts nowhere' : settled === false && 'price not settled yet'}</Note>
          </Position>
        ))}
      </Positions>
    </PublicSection>
  )
}

/** The open positions that everybody sees. */
export function PastPlan({ of: { morePastPlan, pastPlan } }: { of: PublicRecord }) {
  if (pastPlan.length === 0) return null
  return (
    <PublicSection id="past-plan" title="Past its plan" className="space-y-3">
      <p className="text-sm text-muted-foreground">
        Still open after the hold that was planned, so everybody sees them.
      </p>
      <Positions id="past-plan" columns={['Opened', 'Open Price', 'Gain so far']}>
        {pastPlan.map(({ gain, openPrice, rights, ...stock }) => (
          <Position
            key={stock.opened + stock.symbol}
            {...stock}
            second={<span translate="no">{formatPrice(openPrice)}</span>}
          >
            {gain === null ? (
              <Note>no price yet</Note>
            ) : (
              <>
                <Gain value={gain} whole={rights === 'percent'} />
                <Note>{lateText(rights)}</Note>
              </>
            )}
          </Position>
        ))}
      </Positions>
      {morePastPlan > 0 && <p className="text-sm text-muted-foreground">{`And ${morePastPlan} more.`}</p>}
    </PublicSection>
  )
}

type PositionsProps = { id: string; columns: [string, string, string]; children: ReactNode }

function Positions({ id, columns: [first, second, third], children }: PositionsProps) {
  return (
    <Table data-lines aria-labelledby={id} className="max-sm:block">
      <TableHeader className="max-sm:sr-only">
        <TableRow>
          <TableHead className="w-[34%]">Stock</TableHead>
          <TableHead>{first}</TableHead>
          <TableHead>{second}</TableHead>
          <TableHead className="text-right">{third}</TableHead>
        </TableRow>
      </TableHeader>
      <TableBody className="max-sm:block">{children}</TableBody>
    </Table>
  )
}

/** Under 640 px two lines a row: ticker and gain, below them the days. */
const ROW =
  'max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:items-center max-sm:gap-x-4 max-sm:py-2.5'
const CELL = 'py-2.5 max-sm:p-0'
const SECOND = cn(CELL, 'max-sm:text-[0.8125rem] max-sm:text-muted-foreground')

type PositionProps = {
  symbol: string
  companyName?: string | undefined
  opened: string
  second: ReactNode
  children: ReactNode
}

/** A row. @param children its gain */
function Position({ symbol, companyName, opened, second, children }: PositionProps) {
  return (
    <TableRow className={ROW}>
      <TableCell className={cn(CELL, 'font-semibold')}>
        <span translate="no">{symbol.toUpperCase()}</span>
        {companyName !== undefined && (
          <span translate="no" className="block truncate text-[0.8125rem] font-normal text-muted-foreground">
            {companyName}
          </span>
        )}
      </TableCell>
      <TableCell className={cn(SECOND, 'max-sm:order-3')}>{dayText(opened)}</TableCell>
      <TableCell className={cn(SECOND, 'max-sm:order-4 max-sm:text-right')}>{second}</TableCell>
      <TableCell className={cn(CELL, 'text-right max-sm:order-2')}>{children}</TableCell>
    </TableRow>
  )
}

function Note({ children }: { children: string | false }) {
  return children !== false && <span className="block text-xs text-muted-foreground">{children}</span>
}
