import type { FollowerMonth } from '@tradepost/contract/desk'
import { localFormat } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { DeskHeading } from './desk-heading.tsx'

const monthFormat = localFormat({ month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Who came and who left, by month; three short columns need no other shape on a phone. */
export function FollowerMonths({ months }: { months: FollowerMonth[] }) {
  return (
    <div className="min-w-0 space-y-2">
      <DeskHeading>Followers by month</DeskHeading>
      <table className="w-full border-collapse text-sm tabular-nums">
        <caption className="sr-only">New and lost followers by month, in UTC</caption>
        <thead>
          <tr className="border-b border-border text-muted-foreground">
            <th scope="col" className="py-1.5 text-left font-medium">
              Month
            </th>
            <th scope="col" className={FIGURE}>
              New
            </th>
            <th scope="col" className={FIGURE}>
              Lost
            </th>
          </tr>
        </thead>
        <tbody>
          {months.map(({ month, gained, lost }) => (
            <tr key={month} className="border-b border-border last:border-0">
              <th scope="row" className="py-1.5 text-left font-normal whitespace-nowrap">
                {monthFormat(new Date(`${month}-01T00:00:00Z`))}
              </th>
              <Count>{gained}</Count>
              <Count>{lost}</Count>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const FIGURE = 'w-20 py-1.5 text-right font-medium'

function Count({ children }: { children: number }) {
  return <td className={cn(FIGURE, children === 0 && 'font-normal text-muted-foreground')}>{children}</td>
}
