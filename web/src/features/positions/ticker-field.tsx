import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { cn } from '../../ui/cn.ts'
import { isComposing } from '../../ui/composing.ts'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { useLayer } from '../../ui/layer.ts'
import { type SymbolHelp, useSymbols } from './use-symbols.ts'

type TickerFieldProps = {
  value: string
  onChange: (value: string) => void
  /** Why there is no price for it, or null. */
  error: string | null
  /** Enter asks for the price, the likely next step; submitting would do nothing yet. */
  onEnter: () => void
}

/** A ticker, typed or chosen by its company. Below it is one line, always there, so that nothing moves while one types. */
export function TickerField({ value, onChange, error, onEnter }: TickerFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const help = useShownHelp(value)
  function checkOnEnter(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
    event.preventDefault()
    onEnter()
  }
  function choose(symbol: string): void {
    onChange(symbol)
    // The chosen button goes; Enter is the price next.
    input.current?.focus()
  }
  return (
    <div className="space-y-2">
      <Label htmlFor={id}>Ticker</Label>
      <Input
        ref={input}
        id={id}
        name="ticker"
        value={value}
        placeholder="AAPL"
        autoComplete="off"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="go"
        aria-describedby={`${id}-help`}
        aria-invalid={error !== null || undefined}
        className="uppercase"
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={checkOnEnter}
      />
      <Help id={`${id}-help`} help={help} error={error} onChoose={choose} />
    </div>
  )
}

/** The help to show; Back takes suggestions away until something else is typed. */
function useShownHelp(typed: string): SymbolHelp {
  const [dismissed, setDismissed] = useState('')
  const help = useSymbols(typed)
  const isOpen = help.suggestions.length > 0 && typed !== dismissed
  useLayer(isOpen, () => setDismissed(typed))
  return isOpen ? help : { ...help, suggestions: [] }
}

type HelpProps = { id: string; help: SymbolHelp; error: string | null; onChoose: (symbol: string) => void }

function Help({ id, help, error, onChoose }: HelpProps) {
  const { name, suggestions } = help
  const words =
    suggestions.length > 0
      ? `${suggestions.length} suggestions`
      : error !== null
        ? error
        : (name ?? <span className="text-muted-foreground">The ticker, or part of a company’s name.</span>)
  return (
    <div data-slot="ticker-help" className="flex h-11 items-center sm:h-9">
      <p
        id={id}
        role="status"
        className={cn(
          suggestions.length > 0 ? 'sr-only' : 'truncate text-sm',
          error !== null && 'text-destructive',
        )}
      >
        {words}
      </p>
      {suggestions.length > 0 && (
        <ul aria-label="Suggestions" className="-m-1 flex min-w-0 gap-2 overflow-x-auto p-1">
          {suggestions.map((found) => (
            <li key={found.symbol} className="shrink-0">
              <button
                type="button"
                onClick={() => onChoose(found.symbol)}
                className="flex h-11 max-w-56 cursor-pointer items-center gap-2 rounded-md border border-input px-3 text-sm transition-colors duration-150 outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring sm:h-9"
              >
                <span translate="no" className="font-medium">
                  {found.symbol}
                </span>
                <span translate="no" className="truncate text-muted-foreground">
                  {found.name}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
