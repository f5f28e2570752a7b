import type { OwnPrices } from '@tradepost/contract/subscription-price'
import { readPrices, type TypedPrices } from '@tradepost/contract/typed-prices'
import { type FormEvent, type Ref, useId, useRef, useState } from 'react'
import { settings } from '../../lib/settings.ts'
import { forgetDraft, useDraft } from '../../lib/use-draft.ts'
import { Button } from '../../ui/button.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { Switch } from '../../ui/switch.tsx'
import {
  faultOf,
  monthHint,
  type PriceTexts,
  partText,
  refusalOf,
  type SaidOf,
  textsOf,
  typedOf,
  yearHint,
  yearPlaceholder,
} from './price-words.ts'
import { useSetPrices } from './prices.api.ts'

const PRICES_DRAFT = 'prices'
const UNTOUCHED = { monthly: '', yearly: '', offersYear: false, isTouched: false }
type Field = keyof TypedPrices

/** The fields of a trader's own prices (rule G-28). Typed text waits until it is saved, also where that fails. */
export function PriceForm({ prices }: { prices: OwnPrices }) {
  const [draft, setDraft] = useDraft(PRICES_DRAFT, UNTOUCHED)
  /** Judged when they are left or sent, and not while they are typed in. */
  const [judged, setJudged] = useState<readonly Field[]>([])
  const saving = useSetPrices()
  const id = useId()
  const fields = { monthly: useRef<HTMLInputElement>(null), yearly: useRef<HTMLInputElement>(null) }
  const { currency, ...bounds } = prices
  const saved = textsOf(prices)
  const texts: PriceTexts = draft.isTouched ? draft : saved
  const fault = faultOf(texts, prices)
  const read = readPrices(typedOf(texts), currency, bounds)
  const said: SaidOf | null = saving.isError ? refusalOf(saving.error) : fault
  const sentenceOf = (field: Field) =>
    said?.field === field && (saving.isError || judged.includes(field)) ? said.sentence : null
  const isSaved = !prices.isDefault && isSame(typedOf(texts), typedOf(saved))

  function change(field: Field, changed: Partial<PriceTexts>): void {
    saving.reset()
    setJudged(judged.filter((one) => one !== field))
    setDraft({ ...UNTOUCHED, ...texts, ...changed, isTouched: true })
  }
  const judge = (field: Field) => setJudged([...judged, field])

  function save(event: FormEvent): void {
    event.preventDefault()
    if (isSaved || saving.isPending) return
    setJudged(['monthly', 'yearly'])
    if (fault !== null) {
      if (fault.field !== 'form') fields[fault.field].current?.focus()
      return
    }
    const sent = typedOf(texts)
    const forget = () =>
      forgetDraft<typeof UNTOUCHED>(PRICES_DRAFT, (waiting) => isSame(typedOf(waiting), sent))
    saving.mutate({ ...sent, currency }, { onSuccess: forget })
  }

  const inCurrency = `in ${currency.toUpperCase()}`
  return (
    <form onSubmit={save} noValidate className="space-y-4">
      <AmountField
        ref={fields.monthly}
        id={`${id}-monthly`}
        label={`A month, ${inCurrency}`}
        value={texts.monthly}
        error={sentenceOf('monthly')}
        hint={monthHint(prices)}
        onChange={(monthly) => change('monthly', { monthly })}
        onLeave={() => judge('monthly')}
      />
      <div className="flex min-h-11 items-center justify-between gap-4 sm:min-h-6">
        <p id={`${id}-by-year`} className="text-sm font-medium">
          Paid by the year too
        </p>
        <Switch
          aria-labelledby={`${id}-by-year`}
          checked={texts.offersYear}
          onCheckedChange={(offersYear) => change('yearly', { offersYear })}
        />
      </div>
      {texts.offersYear && (
        <AmountField
          ref={fields.yearly}
          id={`${id}-yearly`}
          label={`A year, ${inCurrency}`}
          value={texts.yearly}
          placeholder={yearPlaceholder(texts, prices)}
          error={sentenceOf('yearly')}
          hint={yearHint(texts, prices)}
          onChange={(yearly) => change('yearly', { yearly })}
          onLeave={() => judge('yearly')}
        />
      )}
      <p id={`${id}-part`} className="text-sm tabular-nums">
        {partText(
          'prices' in read ? read.prices : null,
          currency,
          settings.platformFeePercent,
          settings.taxLiable,
        )}
      </p>
      <FieldError>{said?.field === 'form' ? said.sentence : null}</FieldError>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          variant="outline"
          size="sm"
          disabled={isSaved}
          aria-describedby={`${id}-part ${id}-reason`}
          loading={saving.isPending}
        >
          Save price
        </Button>
        <DisabledReason id={`${id}-reason`} reason={isSaved ? 'Change a price first.' : null} />
      </div>
    </form>
  )
}

const isSame = (one: TypedPrices, other: TypedPrices) =>
  one.monthly === other.monthly && one.yearly === other.yearly

type AmountFieldProps = {
  ref: Ref<HTMLInputElement>
  id: string
  label: string
  value: string
  placeholder?: string
  /** Null while there is nothing to say. */
  error: string | null
  hint: string
  onChange: (text: string) => void
  onLeave: () => void
}

function AmountField({ error, hint, id, label, onChange, onLeave, ...props }: AmountFieldProps) {
  return (
    <div className="space-y-2">
      <Label htmlFor={id}>{label}</Label>
      <Input
        {...props}
        id={id}
        inputMode="decimal"
        autoComplete="off"
        className="max-w-60 tabular-nums"
        aria-invalid={error !== null || undefined}
        aria-describedby={`${id}-error ${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={onLeave}
      />
      <FieldError id={`${id}-error`}>{error}</FieldError>
      <p id={`${id}-hint`} className="text-sm text-muted-foreground tabular-nums">
        {hint}
      </p>
    </div>
  )
}
