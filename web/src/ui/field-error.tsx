import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

/**
 * The error of a field, in words. Give it an id and name that id in the field's aria-describedby. Shows nothing
 * without children, but stays in the page so that a new error is spoken.
 */
export function FieldError({ className, ...props }: ComponentProps<'p'>) {
  return (
    <p
      data-slot="field-error"
      role="alert"
      className={cn('text-sm text-destructive empty:hidden', className)}
      {...props}
    />
  )
}
