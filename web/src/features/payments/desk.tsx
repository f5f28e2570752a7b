import { useQuery } from '@tanstack/react-query'
import type { DeskIncome, FollowerMonth, TraderDesk } from '@tradepost/contract/desk'
import { formatMoney } from '@tradepost/contract/money'
import { webPaths } from '@tradepost/contract/web-paths'
import { messageOf } from '../../lib/api-refusal.ts'
import { localFormat } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { settings } from '../../lib/settings.ts'
import { cn } from '../../ui/cn.ts'
import type { Elements } from '../../ui/elements.ts'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { deskQuery } from './desk.api.ts'
import { DeskHeading } from './desk-heading.tsx'
import { DeskPayouts } from './desk-payouts.tsx'
import { DeskPrices } from './desk-prices.tsx'
import { DeskTakenOff } from './desk-taken-off.tsx'
import { DeskTrials } from './desk-trials.tsx'

const monthFormat = localFormat({ month: 'short', year: 'numeric', timeZone: 'UTC' })

const FIGURE = 'w-20 py-1.5 text-right font-medium'

type DeskProps = {
  username: string
  /** Hands the profile's address on. */
  share: Elements
  /** How the mails of the latest positions went. */
  mailings: Elements
}

/** A trader's followers and money, in Account > Subscriptions (rule G-98). */
export function Desk(props: DeskProps) {
  const { data, error, isError, refetch } = useQuery(deskQuery)
  if (data === undefined && !isError) return <DeskSkeleton />
  return (
    <div className="space-y-5 border-b border-border pb-5">
      {isError && <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />}
      {data && <p className="font-medium tabular-nums">{`Subscribers: ${data.followers}`}</p>}
      {data && <Figures desk={data} {...props} />}
    </div>
  )
}

function Figures({ desk, ...props }: DeskProps & { desk: TraderDesk }) {
  const { followers, income, months } = desk
  const nobodyEver =
    followers === 0 && income.length === 0 && months.every(({ gained, lost }) => gained + lost === 0)
  if (nobodyEver)
    return (
      <>
        <FirstFollower {...props} />
        <DeskPayouts />
        {props.mailings}
      </>
    )
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="min-w-0 space-y-6">
        <Income income={income} returned={desk.returned ?? []} />
        <DeskPrices prices={desk.prices} ahead={desk.ahead} />
        <DeskTrials trials={desk.trials} />
        <DeskPayouts />
        {props.mailings}
      </div>
      <div className="min-w-0 space-y-6">
        <FollowerMonths months={months} />
        <DeskTakenOff takenOff={desk.takenOff} />
      </div>
    </div>
  )
}

function FirstFollower({ username, share }: DeskProps) {
  return (
    <div className="flex flex-wrap items-center gap-4">
      <p className="min-w-60 flex-1 text-muted-foreground">
        <span>{'Nobody has followed you yet. People decide by your '}</span>
        <Link to={webPaths.trader(username)} className="font-medium underline underline-offset-4">
          profile
        </Link>
        <span>: open and close positions there, and show it to those who may care.</span>
      </p>
      {share}
    </div>
  )
}

function Income({ income, returned }: { income: DeskIncome[]; returned: Returned[] }) {
  return (
    <div className="space-y-2">
      <DeskHeading>Income</DeskHeading>
      {income.length === 0 && <p>Nothing has come in yet.</p>}
      {income.map(({ currency, thisMonthCents, lastMonthCents, allCents }) => (
        <dl key={currency} className="flex flex-wrap gap-x-8 gap-y-2">
          <Amount name="This month">{formatMoney(thisMonthCents, currency)}</Amount>
          <Amount name="Last month">{formatMoney(lastMonthCents, currency)}</Amount>
          <Amount name="In all">{formatMoney(allCents, currency)}</Amount>
        </dl>
      ))}
      {returned.map((one) => (
        <p key={one.currency} className="text-sm">
          {returnedText(one)}
        </p>
      ))}
      <p className="text-sm text-muted-foreground">
        {`After ${settings.taxLiable ? 'tax and the fee' : 'the fee'}, with refunds taken off. Months are UTC.`}
      </p>
    </div>
  )
}

type Returned = NonNullable<TraderDesk['returned']>[number]

function returnedText({ cents, currency, months }: Returned): string {
  const went = months === 1 ? 'One paid month' : `${months.toLocaleString('en-US')} paid months`
  return `${went} without anything published went back to followers: ${formatMoney(cents, currency)}.`
}

function Amount({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd translate="no" className="text-lg font-semibold tabular-nums">
        {children}
      </dd>
    </div>
  )
}

/** The desk of somebody with followers while it loads. */
function DeskSkeleton() {
  return (
    <div
      role="status"
      aria-label="Loading your followers"
      aria-busy="true"
      className="space-y-5 border-b border-border pb-5"
    >
      <Skeleton className="h-6 w-32" />
      <div className="grid gap-6 lg:grid-cols-2">
        <Skeleton className="h-64 rounded-lg" />
        <Skeleton className="h-102 rounded-lg" />
      </div>
    </div>
  )
}

/** New and lost followers, by month; three short columns need no other shape on a phone. */
function FollowerMonths({ months }: { months: FollowerMonth[] }) {
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

function Count({ children }: { children: number }) {
  return <td className={cn(FIGURE, children === 0 && 'font-normal text-muted-foreground')}>{children}</td>
}
