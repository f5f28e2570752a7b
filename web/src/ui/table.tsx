import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

/*
 * Under 640 px a row becomes a stack of "label: value" lines, so nothing scrolls sideways at 320 px; a table with
 * `data-lines` lays its rows out itself, with the classes of the variant `lined`. Changing `display` makes some browsers
 * forget that this is a table, hence the roles that look superfluous.
 */

export function Table({ className, ...props }: ComponentProps<'table'>) {
  return (
    <table
      data-slot="table"
      // biome-ignore lint/a11y/noRedundantRoles: see the head of this file
      role="table"
      className={cn('w-full border-collapse text-[0.9375rem] stacked:block', className)}
      {...props}
    />
  )
}

export function TableHeader({ className, ...props }: ComponentProps<'thead'>) {
  return (
    <thead
      data-slot="table-header"
      // biome-ignore lint/a11y/noRedundantRoles: see the head of this file
      role="rowgroup"
      className={cn('stacked:sr-only lined:sr-only', className)}
      {...props}
    />
  )
}

export function TableBody({ className, ...props }: ComponentProps<'tbody'>) {
  return (
    <tbody
      data-slot="table-body"
      // biome-ignore lint/a11y/noRedundantRoles: see the head of this file
      role="rowgroup"
      className={cn('stacked:block', className)}
      {...props}
    />
  )
}

export function TableRow({ className, ...props }: ComponentProps<'tr'>) {
  return (
    <tr
      data-slot="table-row"
      // biome-ignore lint/a11y/noRedundantRoles: see the head of this file
      role="row"
      className={cn(
        'border-b border-border transition-colors last:border-0 stacked:block stacked:py-3',
        'has-[[data-row-action]]:hover:bg-accent',
        className,
      )}
      {...props}
    />
  )
}

export function TableHead({ className, scope = 'col', ...props }: ComponentProps<'th'>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the head of this file
    <th
      data-slot="table-head"
      scope={scope}
      role="columnheader"
      className={cn('h-10 px-3 text-left text-sm font-medium text-muted-foreground', className)}
      {...props}
    />
  )
}

/** `data-label` is shown before the value on a phone; figures take `className="text-right tabular-nums"`. */
export function TableCell({ className, ...props }: ComponentProps<'td'>) {
  return (
    <td
      data-slot="table-cell"
      // biome-ignore lint/a11y/noRedundantRoles: see the head of this file
      role="cell"
      className={cn(
        'px-3 py-3 wrap-anywhere tabular-nums',
        'stacked:flex stacked:items-baseline stacked:justify-between stacked:gap-4 stacked:py-1 stacked:text-right',
        'stacked:before:shrink-0 stacked:before:text-sm stacked:before:text-muted-foreground stacked:before:content-[attr(data-label)]',
        className,
      )}
      {...props}
    />
  )
}

/** The caption of a table, for screen readers; give `className="not-sr-only"` to show it. */
export function TableCaption({ className, ...props }: ComponentProps<'caption'>) {
  return (
    <caption
      data-slot="table-caption"
      className={cn('sr-only text-sm text-muted-foreground', className)}
      {...props}
    />
  )
}
