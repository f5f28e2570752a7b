import { useQuery } from '@tanstack/react-query'
import { discountText, type OwnDiscountCode } from '@tradepost/contract/discount-code'
import { MAIN_SCREEN_TOAST_MS } from '@tradepost/contract/limits'
import { webPaths } from '@tradepost/contract/web-paths'
import { useCallback, useEffect, useId, useRef, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Button } from '../../ui/button.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { toast } from '../../ui/toast.ts'
import { DiscountCodeForm } from './discount-code-form.tsx'
import { discountCodesQuery, useChangeCodes } from './discount-codes.api.ts'
import { pricesQuery } from './prices.api.ts'

/** Account > Payments, below the price: codes that take something off it (rule G-124). */
export function DiscountCodes({ username }: { username: string }) {
  const { data, error, isError, refetch } = useQuery(discountCodesQuery)
  const prices = useQuery(pricesQuery)
  const [adds, setAdds] = useState(false)
  const title = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  // What was pressed is gone then: the focus stays near.
  const focusHeading = useCallback(() => heading.current?.focus(), [])
  function endForm(): void {
    setAdds(false)
    focusHeading()
  }
  return (
    <section aria-labelledby={title} className="space-y-4 border-t border-border pt-4">
      <div className="space-y-1">
        <h3 ref={heading} id={title} tabIndex={-1} className="text-sm font-medium outline-none">
          Discount codes
        </h3>
        <p className="text-sm text-muted-foreground">
          A link with a code takes something off your price of a month, for people who begin with it.
        </p>
      </div>
      {data === undefined && isError && (
        <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />
      )}
      {data && data.codes.length > 0 && (
        <ul className="divide-y divide-border">
          {data.codes.map((code) => (
            <Code key={code.id} username={username} code={code} onEnded={focusHeading} />
          ))}
        </ul>
      )}
      {adds && prices.data && <DiscountCodeForm prices={prices.data} onAdded={endForm} onLeave={endForm} />}
      {!adds && data && prices.data && (
        <Button variant="outline" size="sm" onClick={() => setAdds(true)}>
          Add a code
        </Button>
      )}
    </section>
  )
}

type CodeProps = {
  code: OwnDiscountCode
  username: string
  /** Called once the code that was ended is out of the list. */
  onEnded: () => void
}

function Code({ code, onEnded, username }: CodeProps) {
  const { end } = useChangeCodes()
  const isPressed = useRef(false)
  useEffect(() => () => (isPressed.current ? onEnded() : undefined), [onEnded])
  const name = useId()
  const copy = () => void copyLink(linkOf(username, code.code))
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0">
      <div className="min-w-0">
        <p id={name} translate="no" className="font-medium wrap-anywhere">
          {code.code}
        </p>
        <p className="text-sm text-muted-foreground tabular-nums">{termsOf(code)}</p>
        {end.isError && <p className="text-sm text-destructive">{messageOf(end.error)}</p>}
      </div>
      <div className="flex gap-2">
        <Button variant="outline" size="sm" aria-describedby={name} onClick={copy}>
          Copy link
        </Button>
        <Button
          variant="outline"
          size="sm"
          aria-describedby={name}
          loading={end.isPending}
          onClick={() => {
            isPressed.current = true
            end.mutate(code.id)
          }}
        >
          End
        </Button>
      </div>
    </li>
  )
}

/** `20 % off the first month · 3 of 50 used · until Dec 31` */
function termsOf(code: OwnDiscountCode): string {
  const { currency, lastDay, maxUses, uses } = code
  const used = maxUses === null ? `${uses} used` : `${uses} of ${maxUses} used`
  return [discountText(code, currency), used, ...(lastDay === null ? [] : [`until ${lastDay} (UTC)`])].join(
    ' · ',
  )
}

function linkOf(username: string, code: string): string {
  return new URL(`${webPaths.subscribe(username)}?discount=${code}`, location.href).href
}

async function copyLink(url: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(url)
    toast.success('Link copied', { duration: MAIN_SCREEN_TOAST_MS })
  } catch {
    toast.error(`The link could not be copied. It is ${url}`)
  }
}
