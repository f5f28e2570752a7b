import { formatPrice } from '@tradepost/contract/gain'
import type { PastPlanPosition, TraderProfile } from '@tradepost/contract/traders'
import { formatAge, formatDay, formatExactTime } from '../../lib/format.ts'
import { When } from '../../lib/when.tsx'
import { cn } from '../../ui/cn.ts'
import { CompanyName } from '../../ui/company-name.tsx'
import { Gain } from '../../ui/gain.tsx'
import { lateText } from '../../ui/rights-note.tsx'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '../../ui/table.tsx'
import { CELL, LINES, SECOND_LINE } from './two-lines.ts'

/** Open positions past their plan, which everybody sees, as of `now` (rule G-16); nothing without one. */
export function PastPlan({ profile, now }: { profile: TraderProfile; now: Date }) {
  const { morePastPlan = 0, pastPlan = [] } = profile
  if (pastPlan.length === 0) return null
  return (
    <section aria-labelledby="past-plan" className="space-y-3">
      <h2 id="past-plan" className="text-lg font-semibold tracking-tight">
        Past its plan
      </h2>
      <p className="text-sm text-muted-foreground">
        Still open after the hold that was planned, so everybody sees them.
      </p>
      <Table data-lines aria-labelledby="past-plan" className="lined:block">
        <TableHeader>
          <TableRow>
            <TableHead className="w-[30%]">Stock</TableHead>
            <TableHead>Opened</TableHead>
            <TableHead>Open Price</TableHead>
            <TableHead className="text-right">Gain so far</TableHead>
          </TableRow>
        </TableHeader>
        <TableBody className="lined:block">
          {pastPlan.map((position) => (
            <PastPlanRow key={`${position.symbol} ${position.opened}`} position={position} now={now} />
          ))}
        </TableBody>
      </Table>
      {morePastPlan > 0 && <p className="text-sm text-muted-foreground">{`And ${morePastPlan} more.`}</p>}
    </section>
  )
}

function PastPlanRow({ position, now }: { position: PastPlanPosition; now: Date }) {
  const { at, companyName, gain, openPrice, opened, publicAt, rights, symbol } = position
  const late = gain !== null && lateText(rights)
  const over = publicAt === undefined ? null : formatAge(publicAt, now)
  return (
    <TableRow className={LINES}>
      <TableCell
        className={cn(CELL, 'font-semibold lined:col-span-2 lined:row-start-1 lined:min-w-0 lined:pr-3')}
      >
        <span translate="no">{symbol.toUpperCase()}</span>
        <CompanyName name={companyName} />
      </TableCell>
      <TableCell className={cn(CELL, SECOND_LINE)}>
        <When iso={opened} day={formatDay(opened, now)} age={formatAge(opened, now)} />
      </TableCell>
      <TableCell
        translate="no"
        className={cn(
          CELL,
          SECOND_LINE,
          'tabular-nums lined:col-start-2 lined:before:mx-1 lined:before:content-["·"]',
        )}
      >
        {formatPrice(openPrice)}
      </TableCell>
      <TableCell
        className={cn(
          CELL,
          'text-right lined:col-start-3 lined:row-span-2 lined:row-start-1 lined:self-center',
        )}
      >
        {gain === null ? (
          <span className="text-muted-foreground">no price yet</span>
        ) : (
          <span title={at === null ? undefined : formatExactTime(at)}>
            <Gain value={gain} whole={rights === 'percent'} />
          </span>
        )}
        {late !== false && (
          <span className="block text-[0.8125rem] leading-4.5 text-muted-foreground">{late}</span>
        )}
        {over !== null && (
          <span className="block text-[0.8125rem] leading-4.5 text-warning">{`${over} over plan`}</span>
        )}
      </TableCell>
    </TableRow>
  )
}
