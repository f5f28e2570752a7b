import type { ComponentProps, MouseEvent } from 'react'
import { cn } from './cn.ts'
import { Spinner } from './spinner.tsx'

/** The looks of a button (docs/specification.md section 9). */
const EVERY = [
  'relative inline-flex shrink-0 cursor-pointer items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap',
  'transition-colors duration-150 outline-none select-none',
  'focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-background',
  'disabled:pointer-events-none disabled:text-muted-foreground aria-disabled:cursor-default',
  '[&_svg]:pointer-events-none [&_svg]:shrink-0 [&_svg:not([class*=size-])]:size-4',
]
const VARIANTS = {
  default: 'bg-action text-action-foreground hover:bg-action-hover disabled:bg-muted',
  destructive: 'bg-destructive text-destructive-foreground hover:bg-destructive-hover disabled:bg-muted',
  outline:
    'border border-input bg-background hover:bg-accent hover:text-accent-foreground disabled:border-border',
  secondary: 'bg-secondary text-secondary-foreground hover:bg-secondary-hover disabled:bg-muted',
  ghost: 'hover:bg-accent hover:text-accent-foreground',
  link: 'underline underline-offset-4',
}
const SIZES = {
  default: 'h-11 min-w-24 px-4 text-[0.9375rem] sm:h-10',
  sm: 'h-11 min-w-20 px-3 text-sm sm:h-9',
  lg: 'h-12 min-w-32 px-6 text-base',
  icon: 'size-11 sm:size-10',
}

type Look = {
  variant?: keyof typeof VARIANTS | undefined
  size?: keyof typeof SIZES | undefined
  className?: string | undefined
}

/** The properties that give a link the look of a button: `<Link to={path} {...buttonLook({ variant: 'outline' })}>`. */
export function buttonLook(look: Look) {
  return { 'data-slot': 'button', className: buttonClasses(look) } as const
}

/** The same as classes alone. */
export function buttonClasses({ className, size = 'default', variant = 'default' }: Look): string {
  return cn(EVERY, VARIANTS[variant], SIZES[size], className)
}

type ButtonProps = ComponentProps<'button'> &
  Look & {
    /** Shows a spinner in place of the text; the width stays, the focus too, and clicks do nothing. */
    loading?: boolean
  }

/** A button. `type` is "button" unless given. While loading it keeps its name for screen readers. */
export function Button({
  variant,
  size,
  className,
  loading = false,
  children,
  onClick,
  type = 'button',
  ...props
}: ButtonProps) {
  const look = buttonLook({ variant, size, className })
  if (!loading) {
    return (
      <button {...look} type={type} onClick={onClick} {...props}>
        {children}
      </button>
    )
  }
  const name = typeof children === 'string' ? children : 'Loading'
  return (
    <button
      {...look}
      type={type}
      aria-label={name}
      {...props}
      aria-busy="true"
      aria-disabled="true"
      onClick={refuse}
    >
      <span className="invisible inline-flex items-center gap-2">{children}</span>
      <Spinner className="absolute" />
    </button>
  )
}

/** Also stops Enter in a field from submitting the form a second time: browsers submit by clicking this button. */
function refuse(event: MouseEvent): void {
  event.preventDefault()
}
