import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

/** A field's label; give it `htmlFor`, or put the field inside. */
export function Label({ className, ...props }: ComponentProps<'label'>) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the caller ties it by htmlFor or by nesting
    <label
      data-slot="label"
      className={cn('block text-sm font-medium text-foreground', className)}
      {...props}
    />
  )
}
