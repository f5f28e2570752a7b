import { type ComponentProps, useRef } from 'react'
import { Drawer as Vaul } from 'vaul'
import { cn } from './cn.ts'
import type { Elements } from './elements.ts'
import { useLayer } from './layer.ts'

/*
 * vaul's bottom sheet with its own timing: 0.5 s, closes from a quarter of its height or at 0.4 px/ms (docs/specification.md
 * section 9). Import this file lazily: it brings 18 kB.
 */

/** Back closes a drawer that is controlled by `open`. */
export function Drawer(props: ComponentProps<typeof Vaul.Root>) {
  useLayer(props.open ?? false, () => props.onOpenChange?.(false))
  return <Vaul.Root {...props} />
}

export const DrawerClose = Vaul.Close

type DrawerContentProps = Omit<ComponentProps<typeof Vaul.Content>, 'children'> & { children: Elements }

/** The focus goes in, for vaul leaves it where it was; and back, unless something else has taken it meanwhile. */
export function DrawerContent({ className, children, ...props }: DrawerContentProps) {
  const opener = useRef<Element>(null)
  return (
    <Vaul.Portal>
      <Vaul.Overlay className="fixed inset-0 z-50 bg-overlay" />
      <Vaul.Content
        data-slot="drawer-content"
        className={cn(
          'fixed inset-x-0 bottom-0 z-50 flex max-h-[85dvh] flex-col rounded-t-2xl border-t border-border bg-card text-card-foreground outline-none',
          className,
        )}
        onOpenAutoFocus={(event) => {
          event.preventDefault()
          opener.current = document.activeElement
          if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
        }}
        onCloseAutoFocus={(event) => {
          event.preventDefault()
          const isFree = document.activeElement === null || document.activeElement === document.body
          if (isFree && opener.current instanceof HTMLElement) opener.current.focus()
        }}
        {...props}
      >
        <div aria-hidden="true" className="mx-auto mt-3 h-1.5 w-12 shrink-0 rounded-full bg-input" />
        {children}
      </Vaul.Content>
    </Vaul.Portal>
  )
}

export function DrawerTitle({ className, ...props }: ComponentProps<typeof Vaul.Title>) {
  return <Vaul.Title className={cn('text-lg font-semibold', className)} {...props} />
}

export function DrawerDescription({ className, ...props }: ComponentProps<typeof Vaul.Description>) {
  return <Vaul.Description className={cn('text-sm text-muted-foreground', className)} {...props} />
}
