import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

/** The look that input, textarea and select share. */
export const fieldClasses = [
  'w-full min-w-0 rounded-md border border-input bg-field px-3 text-base text-foreground sm:text-[0.9375rem]',
  'transition-colors duration-150 outline-none placeholder:text-muted-foreground',
  'focus-visible:border-ring focus-visible:ring-2 focus-visible:ring-ring/60',
  'aria-invalid:border-destructive aria-invalid:focus-visible:ring-destructive/60',
  'disabled:cursor-not-allowed disabled:opacity-60',
]

export function Input({ className, type = 'text', ...props }: ComponentProps<'input'>) {
  return (
    <input data-slot="input" type={type} className={cn(fieldClasses, 'h-11 sm:h-10', className)} {...props} />
  )
}
