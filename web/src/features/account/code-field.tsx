import { type ReactNode, useEffect, useId, useRef } from 'react'
import { codeTyped } from '../../lib/code-typed.ts'
import { FieldError } from '../../ui/field-error.tsx'
import { Input } from '../../ui/input.tsx'
import { Label } from '../../ui/label.tsx'

type CodeFieldProps = {
  label: ReactNode
  hint?: string
  value: string
  onChange: (value: string) => void
  /** Why the last code was refused; it is marked then, so that the next one is typed over it. */
  failure: string | null
  takesFocus?: boolean
}

/** Where six digits are typed, of an authenticator app or of a mail. No bound: the server judges. */
export function CodeField(props: CodeFieldProps) {
  const { label, hint, value, onChange, failure, takesFocus = false } = props
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => {
    if (takesFocus) field.current?.focus()
  }, [takesFocus])
  useEffect(() => {
    if (failure === null) return
    field.current?.focus()
    field.current?.select()
  }, [failure])

  return (
    <div className="space-y-2">
      <Label htmlFor={id}>{label}</Label>
      <Input
        ref={field}
        id={id}
        name="one-time-code"
        inputMode="numeric"
        autoComplete="one-time-code"
        className="max-w-44 text-lg tracking-[0.2em] tabular-nums sm:text-lg"
        value={value}
        onChange={(event) => onChange(codeTyped(event))}
        aria-invalid={failure !== null || undefined}
        aria-describedby={`${id}-error ${id}-hint`}
      />
      <FieldError id={`${id}-error`}>{failure}</FieldError>
      <p id={`${id}-hint`} className="text-sm text-muted-foreground empty:hidden">
        {hint}
      </p>
    </div>
  )
}
