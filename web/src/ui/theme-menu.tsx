import { type LucideIcon, Monitor, Moon, Sun } from 'lucide-react'
import { cn } from './cn.ts'
import { Menu, menuItem } from './menu.tsx'

const CHOICES: { value: string; label: string; Icon: LucideIcon }[] = [
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'system', label: 'System', Icon: Monitor },
]

/** Light, dark or system; document/menus.ts marks the choice and keeps it. */
export function ThemeMenu() {
  return (
    <Menu
      label="Theme"
      variant="ghost"
      icon={
        <>
          <Sun aria-hidden="true" className="size-[1.125rem] dark:hidden" />
          <Moon aria-hidden="true" className="hidden size-[1.125rem] dark:block" />
        </>
      }
    >
      <fieldset>
        <legend className="sr-only">Theme</legend>
        {CHOICES.map(({ value, label, Icon }) => (
          <label
            key={value}
            className={cn(
              menuItem,
              'has-checked:bg-accent has-checked:font-medium has-focus-visible:ring-2 has-focus-visible:ring-ring',
            )}
          >
            <input type="radio" name="theme" value={value} className="sr-only" />
            <Icon aria-hidden="true" className="size-4" />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
    </Menu>
  )
}
