import type { TraderProfile } from '@tradepost/contract/traders'
import type { Elements } from '../../ui/elements.ts'
import { Monogram } from '../../ui/monogram.tsx'
import { sinceText } from './trader-standing.tsx'

type ProfileHeadProps = {
  name: string
  /** Undefined while it loads; its place is kept. */
  profile: TraderProfile | undefined
  /** Beside the name, on a phone below it. */
  actions: Elements
}

/** The head of a profile: the name, and in one line since when the trader publishes and what the record rests on. */
export function ProfileHead({ name, profile, actions }: ProfileHeadProps) {
  return (
    <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
      <div className="flex min-w-0 flex-1 basis-60 items-center gap-4">
        <Monogram name={name} className="size-14 text-lg" />
        <div className="min-w-0">
          <h1 translate="no" className="text-[1.75rem] leading-9 font-semibold tracking-tight wrap-anywhere">
            {name}
          </h1>
          <p className="min-h-10 text-sm text-muted-foreground sm:min-h-5">
            {profile && !profile.suspended && headText(profile)}
          </p>
        </div>
      </div>
      {actions}
      {profile?.about !== undefined && (
        <p dir="auto" className="max-w-[38rem] basis-full text-[0.9375rem] wrap-anywhere">
          {profile.about}
        </p>
      )}
    </header>
  )
}

/** A line breaks before it and not in it. */
const AT_MARKET_PRICES = 'at market prices'.replaceAll(' ', '\u00a0')

/** `publishing since Apr 2026 · 28 followers · at market prices`; the second where the trader shows it. */
function headText({ since, followers }: Pick<TraderProfile, 'since' | 'followers'>): string {
  const begun = sinceText(since)
  return [begun && `publishing ${begun}`, followersText(followers), AT_MARKET_PRICES]
    .filter((part) => part !== null)
    .join(' · ')
}

function followersText(followers: number | undefined): string | null {
  if (followers === undefined) return null
  return followers === 1 ? '1 follower' : `${followers} followers`
}
