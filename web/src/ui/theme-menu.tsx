import { type LucideIcon, Monitor, Moon, Sun } from 'lucide-react'
import { buttonVariants } from './button.tsx'
import { cn } from './cn.ts'

const CHOICES: { value: string; label: string; Icon: LucideIcon }[] = [
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'system', label: 'System', Icon: Monitor },
]

/** Light, dark or system. Markup only: document/theme-menus.ts gives it life on every page, with and without the app. */
export function ThemeMenu() {
  return (
    <details data-theme-menu className="group relative">
      <summary
        aria-label="Theme"
        className={cn(
          buttonVariants({ variant: 'ghost', size: 'icon' }),
          'list-none text-muted-foreground [&::-webkit-details-marker]:hidden',
        )}
      >
        <Sun aria-hidden="true" className="size-[1.125rem] dark:hidden" />
        <Moon aria-hidden="true" className="hidden size-[1.125rem] dark:block" />
      </summary>
      <fieldset className="absolute top-full right-0 z-40 mt-1 w-40 rounded-lg border border-border bg-card p-1 text-card-foreground shadow-xl">
        <legend className="sr-only">Theme</legend>
        {CHOICES.map(({ value, label, Icon }) => (
          <label
            key={value}
            className="flex h-11 cursor-pointer items-center gap-3 rounded-md px-3 text-sm hover:bg-accent has-checked:font-medium has-checked:text-primary has-focus-visible:ring-2 has-focus-visible:ring-ring sm:h-9"
          >
            <input type="radio" name="theme" value={value} className="sr-only" />
            <Icon aria-hidden="true" className="size-4" />
            {label}
          </label>
        ))}
      </fieldset>
    </details>
  )
}
