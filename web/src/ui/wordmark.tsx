import { BRAND_FIRST_WORD, BRAND_SECOND_WORD } from '@tradepost/contract/brand'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'
import { Mark } from './mark.tsx'

type WordmarkProps = ComponentProps<'span'> & {
  /** Shows the post with its flag before the words. */
  withMark?: boolean
}

/** The two-part wordmark: a bold first word and a light second one (docs/specification.md section 1). */
export function Wordmark({ withMark = false, className, ...props }: WordmarkProps) {
  return (
    <span
      data-slot="wordmark"
      className={cn('inline-flex items-center gap-2 text-lg tracking-tight', className)}
      {...props}
    >
      {withMark && <Mark className="size-[1.2em] text-primary" />}
      <span translate="no">
        <span className="font-bold">{BRAND_FIRST_WORD}</span>
        <span className="font-light">{BRAND_SECOND_WORD}</span>
      </span>
    </span>
  )
}
