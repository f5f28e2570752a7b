import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { CodeField } from './code-field.tsx'
import { giveEmailCode, giveUpEmail, mailCodesAgain, useEmailChanged } from './email-change.api.ts'

type EmailChangeCodesProps = {
  present: string
  wanted: string
  /** Moves the focus to the first field when the step appears: what had it before is gone. */
  takesFocus: boolean
  onChanged: () => void
  onCancel: () => void
}

const SENT = 'We sent a code to each address. Type both: they work for ten minutes.'
const SENT_AGAIN = 'We sent new codes. The earlier ones no longer work.'
const HALF = 'One code is accepted. Now the other one.'
const ONE_MISSING = 'Type the code that came to this address.'

type Typed = { code: string; isTaken: boolean; failure: string | null }
const NOTHING: Typed = { code: '', isTaken: false, failure: null }

/** The two codes of a change of address. Each is given when the button is pressed; one that was accepted is not asked for again. */
export function EmailChangeCodes({ present, wanted, takesFocus, ...ways }: EmailChangeCodesProps) {
  const [typed, setTyped] = useState<Record<string, Typed>>({})
  const [status, setStatus] = useState(SENT)
  const [failure, setFailure] = useState<string | null>(null)
  const [pending, setPending] = useState<'confirm' | 'again' | 'cancel' | null>(null)
  const emailChanged = useEmailChanged()
  const addresses = [present, wanted]
  const of = (address: string) => typed[address] ?? NOTHING
  const note = (address: string, news: Partial<Typed>) =>
    setTyped((all) => ({ ...all, [address]: { ...(all[address] ?? NOTHING), ...news } }))

  async function confirm(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (pending !== null) return
    setPending('confirm')
    setFailure(null)
    await giveCodes()
    setPending(null)
  }

  /** One after the other, also behind one that is refused: it may have been taken, and its answer lost. */
  async function giveCodes(): Promise<void> {
    const left = addresses.filter((address) => !of(address).isTaken)
    const given = left.filter((address) => of(address).code !== '')
    let isRefused = false
    for (const address of given) {
      note(address, { failure: null })
      const answer = await giveEmailCode({ email: address, wanted }, of(address).code)
      if ('refused' in answer) {
        isRefused = true
        note(address, { failure: answer.refused })
        continue
      }
      if (answer.changed) {
        emailChanged()
        return ways.onChanged()
      }
      note(address, { isTaken: true })
      setStatus(HALF)
    }
    const missing = left.find((address) => !given.includes(address))
    if (missing !== undefined && !isRefused) note(missing, { failure: ONE_MISSING })
  }

  async function sendAgain(): Promise<void> {
    setPending('again')
    setFailure(null)
    const refused = await mailCodesAgain(present)
    setPending(null)
    setFailure(refused)
    if (refused === null) setStatus(SENT_AGAIN)
  }

  async function cancel(): Promise<void> {
    setPending('cancel')
    const refused = await giveUpEmail(present)
    setPending(null)
    if (refused === null) ways.onCancel()
    else setFailure(refused)
  }

  return (
    <form noValidate onSubmit={confirm} className="space-y-4">
      <p role="status" className="text-sm text-muted-foreground">
        {status}
      </p>
      {addresses.map((address, index) => {
        const { code, isTaken, failure: refused } = of(address)
        const label = (
          <span className="wrap-anywhere">
            <span>{index === 0 ? 'Code sent to your address now, ' : 'Code sent to the new address, '}</span>
            <span translate="no">{address}</span>
          </span>
        )
        if (isTaken)
          return (
            <p key={address} className="text-sm">
              {label}
              <span className="font-medium">{' accepted'}</span>
            </p>
          )
        return (
          <CodeField
            key={address}
            label={label}
            value={code}
            onChange={(value) => note(address, { code: value })}
            failure={refused}
            takesFocus={takesFocus && index === 0}
          />
        )
      })}
      <FieldError>{failure}</FieldError>
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" size="sm" loading={pending === 'confirm'}>
          Confirm
        </Button>
        <Button
          variant="outline"
          size="sm"
          disabled={pending !== null && pending !== 'cancel'}
          loading={pending === 'cancel'}
          onClick={() => void cancel()}
        >
          Cancel
        </Button>
        <Button
          variant="link"
          size="sm"
          className="min-w-0 px-0"
          disabled={pending !== null}
          onClick={() => void sendAgain()}
        >
          Send again
        </Button>
      </div>
    </form>
  )
}
