import { HOLD_LENGTH_LABELS, HOLD_LENGTHS } from '@tradepost/contract/hold-length'
import { useState } from 'react'
import { Checkbox } from '../ui/checkbox.tsx'
import { FieldError } from '../ui/field-error.tsx'
import { Input } from '../ui/input.tsx'
import { Label } from '../ui/label.tsx'
import { NotesField } from '../ui/notes-field.tsx'
import { Select } from '../ui/select.tsx'
import { Switch } from '../ui/switch.tsx'
import { Textarea } from '../ui/textarea.tsx'
import { Sample } from './sample.tsx'

export function FieldsSample() {
  const [notes, setNotes] = useState('')
  return (
    <Sample title="Fields">
      <div className="grid gap-6 sm:grid-cols-2">
        <div className="space-y-2">
          <Label htmlFor="styles-input">Input</Label>
          <Input id="styles-input" placeholder="AAPL" />
        </div>
        <div className="space-y-2">
          <Label htmlFor="styles-invalid">Invalid</Label>
          <Input id="styles-invalid" aria-invalid="true" aria-describedby="styles-error" defaultValue="A!" />
          <FieldError id="styles-error">That is not a valid ticker.</FieldError>
        </div>
        <div className="space-y-2">
          <Label htmlFor="styles-select">Select</Label>
          <Select id="styles-select" defaultValue="">
            <option value="" disabled>
              Choose a length
            </option>
            {HOLD_LENGTHS.map((length) => (
              <option key={length} value={length}>
                {HOLD_LENGTH_LABELS[length]}
              </option>
            ))}
          </Select>
        </div>
        <div className="space-y-2">
          <Label htmlFor="styles-disabled">Disabled</Label>
          <Input id="styles-disabled" disabled defaultValue="maria" />
        </div>
        <div className="space-y-2">
          <Label htmlFor="styles-textarea">Text area</Label>
          <Textarea id="styles-textarea" />
        </div>
        <NotesField label="Notes" value={notes} onChange={setNotes} />
      </div>
      <div className="flex items-center gap-3">
        <Checkbox id="styles-checkbox" defaultChecked />
        <Label htmlFor="styles-checkbox">
          I understand that I cannot close this position on the same day
        </Label>
      </div>
      <div className="flex items-center gap-3">
        <Switch id="styles-switch" defaultChecked />
        <Label htmlFor="styles-switch">E-mail me</Label>
      </div>
    </Sample>
  )
}
