import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

const EVERY =
  'grid gap-x-3 gap-y-1 rounded-lg border px-4 py-3 text-sm has-[>svg]:grid-cols-[auto_1fr] [&>svg]:row-span-2 [&>svg]:mt-0.5 [&>svg]:size-4'
const VARIANTS = {
  default: 'border-border bg-muted text-foreground',
  destructive: 'border-destructive/50 bg-destructive-muted text-destructive',
}

type AlertProps = ComponentProps<'div'> & { variant?: keyof typeof VARIANTS | undefined }

/** A lasting notice in the page. role="alert" by default, so it is spoken when it appears; a quiet one takes role="note". */
export function Alert({ className, variant = 'default', ...props }: AlertProps) {
  return <div data-slot="alert" role="alert" className={cn(EVERY, VARIANTS[variant], className)} {...props} />
}

export function AlertTitle({ className, ...props }: ComponentProps<'p'>) {
  return <p data-slot="alert-title" className={cn('font-semibold', className)} {...props} />
}

export function AlertDescription({ className, ...props }: ComponentProps<'div'>) {
  return <div data-slot="alert-description" className={cn('leading-relaxed', className)} {...props} />
}
