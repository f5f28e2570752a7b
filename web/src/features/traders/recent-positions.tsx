import type { TraderProfile } from '@tradepost/contract/traders'
import { formatAge, formatDay } from '../../lib/format.ts'
import { When } from '../../lib/when.tsx'
import { cn } from '../../ui/cn.ts'
import { CompanyName } from '../../ui/company-name.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Gain } from '../../ui/gain.tsx'
import { Struck } from '../../ui/struck.tsx'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '../../ui/table.tsx'
import { Unsettled } from '../../ui/unsettled.tsx'
import { CELL, LINES, SECOND_LINE } from './two-lines.ts'

/** The newest closed positions of a trader, as of `now`; open ones within their plan are for subscribers (docs/specification.md section 2, rule G-16). */
export function RecentPositions({ profile, now }: { profile: TraderProfile; now: Date }) {
  const { latestPositions } = profile
  return (
    <section aria-labelledby="recent-positions" className="space-y-3">
      <h2 id="recent-positions" className="text-lg font-semibold tracking-tight">
        Recent positions
      </h2>
      {latestPositions.length === 0 ? (
        <EmptyState title="No closed positions yet.">
          {profile.isSelf
            ? 'Positions you close appear here with their profit, for everyone to see.'
            : 'Positions appear here with their profit as soon as they are closed.'}
        </EmptyState>
      ) : (
        <RecentTable positions={latestPositions} now={now} />
      )}
    </section>
  )
}

type Recent = TraderProfile['latestPositions'][number]

function RecentTable({ positions, now }: { positions: readonly Recent[]; now: Date }) {
  return (
    <Table data-lines aria-labelledby="recent-positions" className="lined:block">
      <TableHeader>
        <TableRow>
          <TableHead className="w-[30%]">Stock</TableHead>
          <TableHead>Opened</TableHead>
          <TableHead>Closed</TableHead>
          <TableHead className="text-right">Profit</TableHead>
        </TableRow>
      </TableHeader>
      <TableBody className="lined:block">
        {positions.map((position) => (
          <RecentRow key={`${position.symbol} ${position.closed}`} position={position} now={now} />
        ))}
      </TableBody>
    </Table>
  )
}

function RecentRow({ position, now }: { position: Recent; now: Date }) {
  const { symbol, opened, closed, percentageGain, settled, struck, companyName } = position
  return (
    <TableRow className={LINES}>
      <TableCell
        className={cn(CELL, 'font-semibold lined:col-span-2 lined:row-start-1 lined:min-w-0 lined:pr-3')}
      >
        <span translate="no">{symbol.toUpperCase()}</span>
        <CompanyName name={companyName} />
      </TableCell>
      <TableCell className={cn(CELL, SECOND_LINE)}>
        <When iso={opened} day={formatDay(opened, now)} age={formatAge(opened, now)} dayAlone />
      </TableCell>
      <TableCell
        className={cn(
          CELL,
          SECOND_LINE,
          'lined:col-start-2 lined:flex lined:before:mx-1 lined:before:content-["–"]',
        )}
      >
        <When iso={closed} day={formatDay(closed, now)} age={formatAge(closed, now)} />
      </TableCell>
      <TableCell
        className={cn(
          CELL,
          'text-right lined:col-start-3 lined:row-span-2 lined:row-start-1 lined:self-center',
        )}
      >
        <Gain value={percentageGain} />
        {settled === false && <Unsettled />}
        <Struck struck={struck} className="ml-auto" />
      </TableCell>
    </TableRow>
  )
}
