import type { ReactNode } from 'react'
import { buttonClasses } from './button.tsx'
import { cn } from './cn.ts'

/** The classes of one line of a menu: a link, a button, a choice. */
export const menuItem =
  'flex h-11 w-full cursor-pointer items-center gap-3 rounded-md px-3 text-sm whitespace-nowrap hover:bg-accent sm:h-9'

type MenuProps = {
  /** The name of the button that opens it. */
  label: string
  /** The icons of that button. */
  icon: ReactNode
  variant: 'ghost' | 'outline'
  children: ReactNode
}

/**
 * A button with a small panel under it. Markup only: document/menus.ts closes it, by Escape, by a press beside it, and when
 * the focus leaves it, on every page, with and without the app.
 */
export function Menu({ label, icon, variant, children }: MenuProps) {
  return (
    <details data-menu className="group relative">
      <summary
        aria-label={label}
        className={cn(
          buttonClasses({ variant, size: 'icon' }),
          'list-none text-muted-foreground [&::-webkit-details-marker]:hidden',
        )}
      >
        {icon}
      </summary>
      <div className="absolute top-full right-0 z-40 mt-1 min-w-40 rounded-lg border border-border bg-card p-1 text-card-foreground shadow-xl">
        {children}
      </div>
    </details>
  )
}
