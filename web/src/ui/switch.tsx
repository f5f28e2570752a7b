import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'size' | 'role'> & {
  onCheckedChange?: (checked: boolean) => void
}

/** Something that is on or off from now on, without a button to confirm it: the browser's checkbox with a switch's look and role. */
export function Switch({ className, onCheckedChange, onChange, ...props }: SwitchProps) {
  return (
    <span className={cn('relative inline-flex h-6 w-10 shrink-0 align-middle', className)}>
      <input
        data-slot="switch"
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox announces its state itself, and must not twice
        role="switch"
        className={cn(
          'peer h-6 w-10 cursor-pointer appearance-none rounded-full border border-input bg-field outline-none',
          'transition-colors duration-150 checked:border-foreground checked:bg-foreground',
          'focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-2 focus-visible:ring-offset-background',
          'disabled:cursor-not-allowed disabled:opacity-60',
          // A finger needs 44 px.
          'pointer-coarse:after:absolute pointer-coarse:after:-inset-x-1 pointer-coarse:after:-inset-y-2.5',
        )}
        onChange={(event) => {
          onChange?.(event)
          onCheckedChange?.(event.currentTarget.checked)
        }}
        {...props}
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute top-1 left-1 size-4 rounded-full bg-muted-foreground transition-transform duration-150 peer-checked:translate-x-4 peer-checked:bg-background"
      />
    </span>
  )
}
