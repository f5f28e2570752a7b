import { cn } from './cn.ts'

const HUES = 12

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

/** Which of the twelve hues of styles.css a name has, however it is spelled (rule G-20). */
export function hueOf(name: string): number {
  return (
    [...name.toLowerCase()].reduce((hash, letter) => (hash * 131 + letter.charCodeAt(0)) % 65_521, 7) % HUES
  )
}
