import { HOLD_LENGTH_LABELS, HOLD_LENGTHS } from '@tradepost/contract/hold-length'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { NotesField } from '../../ui/notes-field.tsx'
import { Select } from '../../ui/select.tsx'
import { OpenFailureDialog } from './open-failure-dialog.tsx'
import { canCheckPrice, canOpenPosition, type OpenDraft } from './position-rules.ts'
import { previewPrice, useOpenPosition } from './positions.api.ts'
import { PriceField } from './price-field.tsx'
import { usePriceCheck } from './use-price-check.ts'

const EMPTY_DRAFT: OpenDraft = { ticker: '', positionLength: '', openNotes: '', understood: false }

type OpenPositionFormProps = {
  /** The viewer's, empty until set. */
  username: string
  marketOpen: boolean
  /** Called when the position is open and in the list. */
  onOpened: () => void
}

/** Publishes a position (docs/specification.md sections 2, 4 and 5). Whatever fails, everything typed stays. */
export function OpenPositionForm({ username, marketOpen, onOpened }: OpenPositionFormProps) {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const price = usePriceCheck(previewPrice, messageOf)
  const opening = useOpenPosition()
  const canCheck = canCheckPrice(draft.ticker, username)
  const canOpen = canOpenPosition(draft, { preview: price.preview, marketOpen, username })

  function change(part: Partial<OpenDraft>): void {
    setDraft((before) => ({ ...before, ...part }))
  }

  function open(event: FormEvent): void {
    event.preventDefault()
    if (!canOpen || price.preview === null || opening.isPending) return
    const { openNotes, positionLength } = draft
    const symbol = normaliseSymbol(draft.ticker)
    opening.mutate(
      { symbol, key: price.preview.key, openNotes, positionLength },
      { onSuccess: () => onOpened() },
    )
  }

  return (
    <form onSubmit={open} noValidate className="space-y-5">
      <TickerField
        value={draft.ticker}
        onChange={(ticker) => {
          change({ ticker })
          price.reset()
        }}
        onEnter={() => canCheck && !price.checking && price.check(normaliseSymbol(draft.ticker))}
      />
      <PriceField
        price={price}
        canCheck={canCheck}
        onCheck={() => price.check(normaliseSymbol(draft.ticker))}
      />
      <LengthField value={draft.positionLength} onChange={(positionLength) => change({ positionLength })} />
      <NotesField
        label="Open notes"
        name="openNotes"
        value={draft.openNotes}
        onChange={(openNotes) => change({ openNotes })}
      />
      <Understanding checked={draft.understood} onChange={(understood) => change({ understood })} />
      <Button
        type="submit"
        size="lg"
        className="w-full sm:w-auto"
        disabled={!canOpen}
        loading={opening.isPending}
      >
        Open Position
      </Button>
      <OpenFailureDialog
        message={opening.isError ? messageOf(opening.error) : null}
        onDismiss={opening.reset}
      />
    </form>
  )
}

type FieldProps<Value> = { value: Value; onChange: (value: Value) => void }

/** Enter asks for the price: the next thing a person wants, where submitting would do nothing yet. */
function TickerField({ value, onChange, onEnter }: FieldProps<string> & { onEnter: () => void }) {
  const id = useId()
  function checkOnEnter(event: KeyboardEvent): void {
    if (event.key !== 'Enter') return
    event.preventDefault()
    onEnter()
  }
  return (
    <div className="space-y-2">
      <Label htmlFor={id}>Ticker</Label>
      <Input
        id={id}
        name="ticker"
        value={value}
        placeholder="AAPL"
        autoComplete="off"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="go"
        className="uppercase"
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={checkOnEnter}
      />
    </div>
  )
}

function LengthField({ value, onChange }: FieldProps<string>) {
  const id = useId()
  return (
    <div className="space-y-2">
      <Label htmlFor={id}>Position length</Label>
      <Select
        id={id}
        name="positionLength"
        value={value}
        className={value === '' ? 'text-muted-foreground' : ''}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="" disabled hidden>
          Choose a length
        </option>
        {HOLD_LENGTHS.map((length) => (
          <option key={length} value={length}>
            {HOLD_LENGTH_LABELS[length]}
          </option>
        ))}
      </Select>
    </div>
  )
}

function Understanding({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  const id = useId()
  return (
    <div className="flex items-start gap-3 py-1">
      <Checkbox id={id} className="mt-0.5" checked={checked} onCheckedChange={onChange} />
      <Label htmlFor={id} className="cursor-pointer leading-6 font-normal">
        I understand that I cannot close this position on the same day
      </Label>
    </div>
  )
}
