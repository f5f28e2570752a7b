import type { ComponentProps } from 'react'
import { cn, fieldClasses } from './cn.ts'

export function Input({ className, type = 'text', ...props }: ComponentProps<'input'>) {
  return (
    <input data-slot="input" type={type} className={cn(fieldClasses, 'h-11 sm:h-10', className)} {...props} />
  )
}
