import { hueOf } from '@tradepost/contract/name-hue'
import { cn } from './cn.ts'

/**
 * The first two letters of a username in a colour that is always the same for it, so that people distinguish traders at a
 * glance. Decoration: the name stands beside it, so the letters are drawn and not written.
 */
export function Monogram({ name, className }: { name: string; className?: string }) {
  return (
    <span
      aria-hidden="true"
      data-slot="monogram"
      data-hue={hueOf(name)}
      data-letters={name.slice(0, 2).toUpperCase()}
      className={cn(
        'monogram inline-flex size-7 shrink-0 items-center justify-center rounded-full text-[0.6875rem] font-semibold tracking-wide select-none before:content-[attr(data-letters)]',
        className,
      )}
    />
  )
}
