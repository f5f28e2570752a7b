import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn, fieldClasses } from './cn.ts'

/** The browser's own select, styled: it opens the phone's picker and needs no script. Children are `<option>`s. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return (
    <span className="relative block">
      <select
        data-slot="select"
        className={cn(fieldClasses, 'h-11 cursor-pointer appearance-none pr-9 sm:h-10', className)}
        {...props}
      />
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-muted-foreground"
      />
    </span>
  )
}
