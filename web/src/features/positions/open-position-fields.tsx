import { HOLD_LENGTH_LABELS, HOLD_LENGTHS, isHoldLength } from '@tradepost/contract/hold-length'
import { publicAt } from '@tradepost/contract/kept-plan'
import { useId } from 'react'
import { formatDay } from '../../lib/format.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Label } from '../../ui/label.tsx'
import { Select } from '../../ui/select.tsx'

type FieldProps<Value> = { value: Value; onChange: (value: Value) => void }

/** @param props.now by the server's clock where a checked price contains it */
export function LengthField({ value, onChange, now }: FieldProps<string> & { now: Date }) {
  const id = useId()
  const publicId = useId()
  return (
    <div className="space-y-2">
      <Label htmlFor={id}>Position length</Label>
      <Select
        id={id}
        name="positionLength"
        value={value}
        aria-describedby={publicId}
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
      <p id={publicId} className="text-sm text-muted-foreground">
        {whenPublic(value, now)}
      </p>
    </div>
  )
}

/** The sentence about a position that stays open for longer than that (rule G-16). */
function whenPublic(holdLength: string, now: Date): string {
  if (!isHoldLength(holdLength)) return 'Everybody sees a position that is open past its plan.'
  const at = publicAt({ openedAt: now, holdLength })
  return `Open after ${formatDay(at.toISOString(), now)}, it is shown to everybody.`
}

export function Understanding({
  checked,
  onChange,
}: {
  checked: boolean
  onChange: (checked: boolean) => void
}) {
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
