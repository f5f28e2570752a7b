import { type BillingInterval, renewalAfter } from '@tradepost/contract/billing-interval'
import { ENDING_SENTENCE, TRADER_STOPS_SENTENCE, WITHDRAWAL_SENTENCE } from '@tradepost/contract/consent'
import { formatMoney } from '@tradepost/contract/money'
import { RISK_SENTENCE } from '@tradepost/contract/risk'
import { TAX_SENTENCE } from '@tradepost/contract/tax-words'
import type { TrialDays } from '@tradepost/contract/trial'
import type { ReactNode } from 'react'
import { formatDate } from '../../lib/format.ts'
import { serverNow } from '../../lib/server-time.ts'
import { settings } from '../../lib/settings.ts'
import { cn } from '../../ui/cn.ts'

type BeforePayingProps = {
  username: string
  /** The chosen price; undefined where none is known. */
  price:
    | {
        interval: BillingInterval
        currency: string
        /** Of the first payment and of the one behind it, in the smallest unit of the currency. */
        firstCents: number
        secondCents: number
      }
    | undefined
  /** The free days that the viewer gets; null for none. */
  trialDays: TrialDays | null
}

/** The conditions of a subscription in short lines, before the button that leads to paying it (rule G-125). */
export function BeforePaying({ price, trialDays, username }: BeforePayingProps) {
  return (
    <section aria-label="Before you pay" className="border-t border-border pt-4">
      <dl className="space-y-2 text-sm">
        {price && <Payments {...price} trialDays={trialDays} />}
        {settings.taxLiable && <Row name="Tax">{TAX_SENTENCE}</Row>}
        <Row name="To end it">{ENDING_SENTENCE}</Row>
        <Row name="To withdraw">{WITHDRAWAL_SENTENCE}</Row>
        <Row
          name={
            <>
              <span>{'If '}</span>
              <span translate="no">{`@${username}`}</span>
              <span>{' stops'}</span>
            </>
          }
        >
          {TRADER_STOPS_SENTENCE}
        </Row>
        <Row name="Risk">{RISK_SENTENCE}</Row>
      </dl>
    </section>
  )
}

/** By the server's time, as Stripe will date them. */
function Payments({
  currency,
  firstCents,
  interval,
  secondCents,
  trialDays,
}: NonNullable<BeforePayingProps['price']> & Pick<BeforePayingProps, 'trialDays'>) {
  const now = serverNow()
  const firstAt = new Date(now.getTime() + (trialDays ?? 0) * DAY_MS)
  return (
    <>
      <Row isShort name={trialDays === null ? 'Today' : 'First payment'}>
        <Amount cents={firstCents} currency={currency} />
        {trialDays !== null && <On day={firstAt} />}
      </Row>
      <Row isShort name="Renews">
        <Amount cents={secondCents} currency={currency} />
        <On day={renewalAfter(firstAt, interval)} />
      </Row>
    </>
  )
}

const DAY_MS = 86_400_000

function Amount({ cents, currency }: { cents: number; currency: string }) {
  return (
    <span translate="no" className="tabular-nums">
      {formatMoney(cents, currency)}
    </span>
  )
}

function On({ day }: { day: Date }) {
  return <span>{` on ${formatDate(day.toISOString())}`}</span>
}

/** @param props.isShort whether the words have room beside their name on a phone */
function Row({ children, isShort, name }: { name: ReactNode; isShort?: true; children: ReactNode }) {
  return (
    <div className={cn('sm:flex sm:gap-3', isShort && 'flex gap-3')}>
      <dt className="font-medium wrap-anywhere max-sm:min-w-16 sm:w-32 sm:shrink-0">{name}</dt>
      <dd className="text-muted-foreground">{children}</dd>
    </div>
  )
}
