import type { ComponentProps } from 'react'
import { cn, fieldClasses } from './cn.ts'

/** A field that nobody can type in shows something, and does not look as if it waited for it. */
export function Input({ className, type = 'text', ...props }: ComponentProps<'input'>) {
  return (
    <input
      data-slot="input"
      type={type}
      className={cn(
        fieldClasses,
        'h-11 sm:h-10',
        props.readOnly === true && 'border-transparent bg-muted',
        className,
      )}
      {...props}
    />
  )
}
