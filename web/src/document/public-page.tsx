import type { PublicRecord } from '@tradepost/contract/public-record'
import { RISK_SENTENCE } from '@tradepost/contract/risk'
import { webPaths } from '@tradepost/contract/web-paths'
import type { ReactNode } from 'react'
import { formatUtc } from '../lib/format.ts'
import { buttonLook } from '../ui/button.tsx'
import { Gain } from '../ui/gain.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { PublicCurve } from './public-curve.tsx'
import { PastPlan, Recent } from './public-positions.tsx'
import { PublicSection } from './public-section.tsx'
import { dayText, openText, priceText, provenText, versusText } from './public-words.ts'

/** A trader's public page (rule G-109) at an instant. */
export function PublicPage({ of, now }: { of: PublicRecord; now: Date }) {
  const { since, username } = of
  return (
    <div itemScope itemType="https://schema.org/ProfilePage" className="space-y-10">
      <header
        itemProp="mainEntity"
        itemScope
        itemType="https://schema.org/Person"
        className="flex flex-wrap items-center justify-between gap-x-6 gap-y-5"
      >
        <div className="flex min-w-0 items-center gap-4">
          <Monogram name={username} className="size-14 text-lg" />
          <div className="min-w-0">
            <h1
              translate="no"
              itemProp="name"
              className="text-[1.75rem] leading-9 font-semibold tracking-tight wrap-anywhere"
            >
              {username}
            </h1>
            <p className="text-sm text-muted-foreground">
              {since !== null && <span>{`Publishes since ${dayText(since)}. `}</span>}
              <span>Prices are taken by the market, nobody can type them in.</span>
            </p>
          </div>
        </div>
        <div className="w-full space-y-2 text-center text-sm text-muted-foreground sm:w-auto sm:max-w-64">
          <a
            href={webPaths.trader(username)}
            rel="nofollow"
            aria-describedby="price"
            {...buttonLook({ size: 'lg', className: 'w-full' })}
          >
            {`Follow @${username}`}
          </a>
          <p id="price" className="text-balance">
            {priceText(of)}
          </p>
        </div>
      </header>
      <Figures of={of} />
      <PublicCurve of={of} />
      <Proven of={of} />
      <Recent of={of} />
      <PastPlan of={of} />
      <Open of={of} now={now} />
      <p className="text-sm text-muted-foreground">{`As of ${formatUtc(now)}. ${RISK_SENTENCE}`}</p>
    </div>
  )
}

function Figures({ of }: { of: PublicRecord }) {
  const { average, closed } = of.record
  const versus = versusText(of)
  return (
    <section aria-label="Figures" className="rounded-xl border border-border bg-card px-5 py-5 sm:px-6">
      {average === null ? (
        <>
          <p className="text-lg font-semibold">No closed positions yet.</p>
          <p className="mt-1 text-sm text-muted-foreground">
            Positions appear here with their profit as soon as they are closed.
          </p>
        </>
      ) : (
        <>
          <p className="text-sm text-muted-foreground">Average profit</p>
          <p className="mt-1 text-[2.5rem] leading-12 font-semibold tracking-tight">
            <Gain value={average} className="font-semibold" />
          </p>
          <p className="text-sm text-muted-foreground">{`average of ${closed} closed`}</p>
        </>
      )}
      {versus !== null && <p className="mt-1 text-sm text-muted-foreground">{versus}</p>}
      <MoreFigures {...of.record} />
    </section>
  )
}

function MoreFigures({ best, median, medianDaysHeld, plansKept, wins, worst }: PublicRecord['record']) {
  if (median === null) return null
  const share = (of: typeof wins) => of && `${of.count} of ${of.of}`
  const gain = (value: number | null) => value !== null && <Gain value={value} />
  return (
    <dl className="mt-5 grid grid-cols-2 gap-x-6 gap-y-4 border-t border-border pt-5 sm:grid-cols-3 lg:grid-cols-6">
      <Figure name="Wins">{share(wins)}</Figure>
      <Figure name="Median">{gain(median)}</Figure>
      <Figure name="Best">{gain(best)}</Figure>
      <Figure name="Worst">{gain(worst)}</Figure>
      <Figure name="Median days held">{medianDaysHeld}</Figure>
      <Figure name="Kept to plan">{share(plansKept)}</Figure>
    </dl>
  )
}

/** Left out where there is none. */
function Figure({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === false) return null
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className="mt-0.5 font-medium tabular-nums">{children}</dd>
    </div>
  )
}

function Proven({ of }: { of: PublicRecord }) {
  const { proven, track } = of
  if (proven === null) return null
  const upTo = track.asOf === null ? '' : `, so far up to the session of ${dayText(track.asOf)}`
  return (
    <PublicSection id="proven" title="Proven" className="space-y-1">
      <p>{provenText(proven, track.indexSymbol)}</p>
      <p className="text-sm text-muted-foreground">
        {`Computed every night from closed positions and open ones${upTo}.`}
      </p>
    </PublicSection>
  )
}

function Open({ of, now }: { of: PublicRecord; now: Date }) {
  const isMoreHidden = of.openedAt.length > of.pastPlan.length + of.morePastPlan
  return (
    <PublicSection id="open" title="Open positions" className="space-y-1">
      <p>{openText(of.openedAt, now)}</p>
      {isMoreHidden && (
        <p className="text-sm text-muted-foreground">
          Followers get each by e-mail at once; everybody else reads it here when it is closed, or when its
          plan is over.
        </p>
      )}
    </PublicSection>
  )
}
