import { keptText } from '@tradepost/contract/kept-text'
import { NOTES_MAX_LENGTH, NOTES_MIN_LENGTH } from '@tradepost/contract/limits'
import { type ReactNode, useId } from 'react'
import { cn } from './cn.ts'
import { FieldError } from './field-error.tsx'
import { Label } from './label.tsx'
import { Textarea } from './textarea.tsx'

type NotesFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  name?: string
  disabled?: boolean
  placeholder?: string
  /** A refusal that speaks of this field. */
  error?: ReactNode
  className?: string
}

/**
 * Text with the counter `n/500 (min. 10)` (docs/specification.md section 2), used for notes and feedback. The counter counts
 * what will be kept, so that it never shows ten beside a button that ten would enable (rule G-13); nothing stops the
 * typing at 500 (section 5), the counter only turns red.
 */
export function NotesField({ label, value, onChange, error, className, ...props }: NotesFieldProps) {
  const id = useId()
  const { length } = keptText(value)
  const tooLong = length > NOTES_MAX_LENGTH
  const failed = error !== undefined && error !== null && error !== ''
  return (
    <div className={cn('space-y-2', className)}>
      <Label htmlFor={id}>{label}</Label>
      <Textarea
        id={id}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        aria-describedby={`${id}-counter ${id}-error`}
        aria-invalid={tooLong || failed || undefined}
        {...props}
      />
      <p
        id={`${id}-counter`}
        className={cn(
          'text-right text-sm tabular-nums',
          tooLong ? 'text-destructive' : 'text-muted-foreground',
        )}
      >
        {`${length}/${NOTES_MAX_LENGTH} (min. ${NOTES_MIN_LENGTH})`}
      </p>
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  )
}
