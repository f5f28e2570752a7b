import type { TraderProfile } from '@tradepost/contract/traders'
import { formatDate } from '../../lib/format.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Gain } from '../../ui/gain.tsx'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '../../ui/table.tsx'

/** The newest closed positions of a trader; open ones are for subscribers (docs/specification.md section 2, decision G-16). */
export function RecentPositions({ profile }: { profile: TraderProfile }) {
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
        <Table aria-labelledby="recent-positions">
          <TableHeader>
            <TableRow>
              <TableHead>Stock</TableHead>
              <TableHead>Opened</TableHead>
              <TableHead>Closed</TableHead>
              <TableHead className="text-right">Profit</TableHead>
            </TableRow>
          </TableHeader>
          <TableBody>
            {latestPositions.map((position) => (
              <TableRow key={`${position.symbol} ${position.closed}`}>
                <TableCell data-label="Stock" className="font-semibold">
                  {position.symbol.toUpperCase()}
                </TableCell>
                <TableCell data-label="Opened">{formatDate(position.opened)}</TableCell>
                <TableCell data-label="Closed">{formatDate(position.closed)}</TableCell>
                <TableCell data-label="Profit" className="text-right">
                  <Gain value={position.percentageGain} />
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      )}
    </section>
  )
}
