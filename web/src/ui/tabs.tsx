import { type ComponentProps, createContext, type KeyboardEvent, useContext, useId, useState } from 'react'
import { cn } from './cn.ts'

/*
 * The tabs pattern of the ARIA authoring guide in a hundred lines; a library's costs the first page 7 kB.
 */

type TabsState = { id: string; value: string; choose: (value: string) => void }

const TabsContext = createContext<TabsState | null>(null)

function useTabs(): TabsState {
  const tabs = useContext(TabsContext)
  if (tabs === null) throw new Error('Tab parts belong inside <Tabs>')
  return tabs
}

type TabsProps = ComponentProps<'div'> & {
  value?: string
  defaultValue?: string
  onValueChange?: (value: string) => void
}

/** Controlled by `value` and `onValueChange`, or on its own from `defaultValue`. */
export function Tabs({ value, defaultValue = '', onValueChange, className, ...props }: TabsProps) {
  const id = useId()
  const [own, setOwn] = useState(defaultValue)
  function choose(next: string): void {
    setOwn(next)
    onValueChange?.(next)
  }
  return (
    <TabsContext value={{ id, value: value ?? own, choose }}>
      <div data-slot="tabs" className={cn('space-y-4', className)} {...props} />
    </TabsContext>
  )
}

/** Arrow keys, Home and End move the choice; only the chosen tab is in the tab order. */
export function TabsList({ className, ...props }: ComponentProps<'div'>) {
  function move(event: KeyboardEvent<HTMLDivElement>): void {
    if (event.nativeEvent.isComposing) return
    const triggers = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('[role=tab]:enabled')]
    const at = triggers.indexOf(document.activeElement as HTMLButtonElement)
    const step = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: triggers.length - 1 }[event.key]
    if (step === undefined || at < 0) return
    event.preventDefault()
    const next = triggers.at(step % triggers.length)
    next?.focus()
    next?.click()
  }
  return (
    <div
      data-slot="tabs-list"
      role="tablist"
      className={cn('inline-flex items-center gap-1 rounded-lg bg-muted p-1', className)}
      onKeyDown={move}
      {...props}
    />
  )
}

export function TabsTrigger({ value, className, ...props }: ComponentProps<'button'> & { value: string }) {
  const tabs = useTabs()
  const chosen = tabs.value === value
  return (
    <button
      data-slot="tabs-trigger"
      type="button"
      role="tab"
      id={`${tabs.id}-tab-${value}`}
      aria-controls={`${tabs.id}-panel-${value}`}
      aria-selected={chosen}
      data-state={chosen ? 'active' : 'inactive'}
      tabIndex={chosen ? 0 : -1}
      className={cn(
        'h-9 cursor-pointer rounded-md px-3.5 text-sm font-medium text-muted-foreground transition-colors duration-150 outline-none',
        'hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring sm:h-8',
        'data-[state=active]:bg-background data-[state=active]:text-foreground data-[state=active]:shadow-xs',
        className,
      )}
      onClick={() => tabs.choose(value)}
      {...props}
    />
  )
}

/** Rendered only while its tab is chosen. */
export function TabsContent({ value, className, ...props }: ComponentProps<'div'> & { value: string }) {
  const tabs = useTabs()
  if (tabs.value !== value) return null
  return (
    <div
      data-slot="tabs-content"
      role="tabpanel"
      id={`${tabs.id}-panel-${value}`}
      aria-labelledby={`${tabs.id}-tab-${value}`}
      className={cn('outline-none', className)}
      {...props}
    />
  )
}
