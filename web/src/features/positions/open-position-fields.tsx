import { HOLD_LENGTH_LABELS, HOLD_LENGTHS } from '@tradepost/contract/hold-length'
import { useId } from 'react'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Label } from '../../ui/label.tsx'
import { Select } from '../../ui/select.tsx'

type FieldProps<Value> = { value: Value; onChange: (value: Value) => void }

export function LengthField({ value, onChange }: FieldProps<string>) {
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
