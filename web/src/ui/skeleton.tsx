import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

/** A grey block in the shape of what is loading. Wrap a group in an element with aria-busy and a label. */
export function Skeleton({ className, ...props }: ComponentProps<'div'>) {
  return (
    <div
      data-slot="skeleton"
      aria-hidden="true"
      className={cn('animate-pulse rounded-md bg-muted', className)}
      {...props}
    />
  )
}
