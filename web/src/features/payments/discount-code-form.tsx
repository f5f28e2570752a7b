import {
  type DiscountMonths,
  discountedCents,
  readDiscountCode,
  type TypedDiscountCode,
} from '@tradepost/contract/discount-code'
import { refusalMessage } from '@tradepost/contract/errors'
import { formatMoney } from '@tradepost/contract/money'
import type { OwnPrices } from '@tradepost/contract/subscription-price'
import { type ComponentProps, type FormEvent, useEffect, useId, useState } from 'react'
import { ApiRefusal, messageOf } from '../../lib/api-refusal.ts'
import { serverNow } from '../../lib/server-time.ts'
import { useDraft } from '../../lib/use-draft.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'
import { Select } from '../../ui/select.tsx'
import { DISCOUNT_CODE_DRAFT, useChangeCodes } from './discount-codes.api.ts'

type Texts = { code: string; off: string; months: string; maxUses: string; lastDay: string }
type Field = keyof Texts | 'form'
const EMPTY: Texts = { code: '', off: '', months: '1', maxUses: '', lastDay: '' }

/** The field that a refusal speaks of. */
const FIELD_OF: Readonly<Record<string, Field>> = {
  discount_code_invalid: 'code',
  discount_code_taken: 'code',
  discount_invalid: 'off',
  discount_too_large: 'off',
  price_currency: 'off',
  discount_uses: 'maxUses',
  discount_last_day: 'lastDay',
}

type DiscountCodeFormProps = { prices: OwnPrices; onAdded: () => void; onLeave: () => void }

/** The fields of a new code. They are judged when it is sent; what is typed stays until it is sent or left. */
export function DiscountCodeForm({ onAdded, onLeave, prices }: DiscountCodeFormProps) {
  const [texts, setTexts] = useDraft(DISCOUNT_CODE_DRAFT, EMPTY)
  const [isJudged, setJudged] = useState(false)
  const { add } = useChangeCodes()
  const id = useId()
  // The button that opened it is gone.
  useEffect(() => document.getElementById(`${id}-code`)?.focus(), [id])
  const { currency, ...bounds } = prices
  const read = readDiscountCode(
    typedOf(texts),
    { bounds, currency, monthlyCents: prices.monthlyCents },
    new Date(serverNow()),
  )
  const fault = 'fault' in read ? read.fault : null
  const sentence = (field: Field) => {
    if (add.isError) return fieldOf(add.error) === field ? messageOf(add.error) : null
    if (!isJudged || fault === null || FIELD_OF[fault.code] !== field) return null
    return refusalMessage(fault.code, { currency: currency.toUpperCase(), ...fault })
  }
  const change = (field: keyof Texts) => (event: { currentTarget: { value: string } }) => {
    // A code that is on its way is that of the moment of the press.
    if (add.isPending) return
    add.reset()
    setJudged(false)
    setTexts({ ...texts, [field]: event.currentTarget.value })
  }
  function leave(): void {
    setTexts(EMPTY)
    onLeave()
  }
  function send(event: FormEvent): void {
    event.preventDefault()
    if (add.isPending) return
    setJudged(true)
    if (fault !== null) {
      document.getElementById(`${id}-${FIELD_OF[fault.code]}`)?.focus()
      return
    }
    add.mutate({ ...typedOf(texts), currency }, { onSuccess: onAdded })
  }
  const field = (name: keyof Texts) => ({
    id: `${id}-${name}`,
    value: texts[name],
    error: sentence(name),
    onChange: change(name),
  })
  return (
    <form onSubmit={send} noValidate className="space-y-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField {...field('code')} label="Code" autoComplete="off" autoCapitalize="characters" />
        <TextField {...field('off')} label="Discount, such as 20 % or 5.00" autoComplete="off" />
        <div className="space-y-2">
          <Label htmlFor={`${id}-months`}>How long</Label>
          <Select id={`${id}-months`} value={texts.months} onChange={change('months')}>
            <option value="1">The first month</option>
            <option value="3">Three months</option>
            <option value="">Always</option>
          </Select>
        </div>
        <TextField
          {...field('maxUses')}
          label="Uses (empty: any number)"
          inputMode="numeric"
          autoComplete="off"
        />
        <TextField {...field('lastDay')} label="Last day (UTC; empty: none)" type="date" />
      </div>
      <p role="status" className="text-sm tabular-nums">
        {'discountCode' in read &&
          `A month costs ${formatMoney(discountedCents(prices.monthlyCents, read.discountCode), currency)} in place of ${formatMoney(prices.monthlyCents, currency)}.`}
      </p>
      <FieldError>{sentence('form')}</FieldError>
      <div className="flex gap-3">
        <Button type="submit" variant="outline" size="sm" loading={add.isPending}>
          Add
        </Button>
        <Button variant="ghost" size="sm" disabled={add.isPending} onClick={leave}>
          Leave it
        </Button>
      </div>
    </form>
  )
}

function typedOf({ code, lastDay, maxUses, months, off }: Texts): TypedDiscountCode {
  return {
    code,
    off,
    months: months === '' ? null : (Number(months) as DiscountMonths),
    // A text that is no number is refused by the sentence about uses.
    maxUses: maxUses.trim() === '' ? null : Number(maxUses) || 0,
    lastDay: lastDay === '' ? null : lastDay,
  }
}

function fieldOf(error: unknown): Field {
  return (error instanceof ApiRefusal && FIELD_OF[error.code]) || 'form'
}

type TextFieldProps = ComponentProps<typeof Input> & { id: string; label: string; error: string | null }

function TextField({ error, id, label, ...props }: TextFieldProps) {
  return (
    <div className="space-y-2">
      <Label htmlFor={id}>{label}</Label>
      <Input {...props} id={id} aria-invalid={error !== null || undefined} aria-describedby={`${id}-error`} />
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  )
}
