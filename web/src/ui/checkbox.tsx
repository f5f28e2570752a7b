import { Check } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'size'> & {
  onCheckedChange?: (checked: boolean) => void
}

/** The browser's own checkbox with our look; tie a `Label` to its id. */
export function Checkbox({ className, onCheckedChange, onChange, ...props }: CheckboxProps) {
  return (
    <span className={cn('relative inline-flex size-5 shrink-0', className)}>
      <input
        data-slot="checkbox"
        type="checkbox"
        className={cn(
          'peer size-5 cursor-pointer appearance-none rounded-sm border border-input bg-field outline-none',
          'checked:border-foreground checked:bg-foreground focus-visible:ring-2 focus-visible:ring-ring',
          'focus-visible:ring-offset-2 focus-visible:ring-offset-background',
          'disabled:cursor-not-allowed disabled:opacity-60',
        )}
        onChange={(event) => {
          onChange?.(event)
          onCheckedChange?.(event.currentTarget.checked)
        }}
        {...props}
      />
      <Check
        aria-hidden="true"
        strokeWidth={3}
        className="pointer-events-none invisible absolute inset-0 m-auto size-3.5 text-background peer-checked:visible"
      />
    </span>
  )
}
