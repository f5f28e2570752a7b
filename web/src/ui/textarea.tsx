import type { ComponentProps } from 'react'
import { cn, fieldClasses } from './cn.ts'

/** A text area that grows with its text where the browser can (field-sizing). */
export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return (
    <textarea
      data-slot="textarea"
      dir="auto"
      className={cn(fieldClasses, 'field-sizing-content min-h-28 py-2 leading-normal', className)}
      {...props}
    />
  )
}
