import { type ClassValue, clsx } from 'clsx'
import { twMerge } from 'tailwind-merge'

/**
 * Joins class names; of two that set the same property the later one wins, so a caller can override a primitive. The
 * library knows every class of Tailwind (ADR 0033).
 */
export function cn(...classes: ClassValue[]): string {
  return twMerge(clsx(classes))
}

/** The look that input, textarea and select share. Not in one of their files: the first page has a select, and no input. */
export const fieldClasses = [
  'w-full min-w-0 rounded-md border border-input bg-field px-3 text-base text-foreground sm:text-[0.9375rem]',
  'transition-colors duration-150 outline-none placeholder:text-muted-foreground',
  'focus-visible:border-ring focus-visible:ring-2 focus-visible:ring-ring/60',
  'aria-invalid:border-destructive aria-invalid:focus-visible:ring-destructive/60',
  'disabled:cursor-not-allowed disabled:opacity-60',
]
