import { EMAIL_UNDO_HOURS } from '@tradepost/contract/limits'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { presentEmail, wantedEmail } from './email-change.api.ts'
import { EmailChangeCodes } from './email-change-codes.tsx'
import { NewEmailForm } from './new-email-form.tsx'

type Step =
  | { kind: 'shown'; hasChanged: boolean }
  | { kind: 'asked' }
  | { kind: 'mailed'; wanted: string; isNew: boolean }

function firstStep(): Step {
  const wanted = wantedEmail()
  return wanted === null ? { kind: 'shown', hasChanged: false } : { kind: 'mailed', wanted, isNew: false }
}

/** Account > Profile: the address that one signs in with, and the way to another one (rule G-119). */
export function EmailPart({ email }: { email: string }) {
  const [step, setStep] = useState(firstStep)
  // The account's answer is kept for minutes, in which another tab may change the address.
  const present = presentEmail() ?? email
  const title = useRef<HTMLHeadingElement>(null)
  const id = useId()
  const moved = useRef(false)

  // The part that was pressed is gone then: the focus stays near.
  useEffect(() => {
    if (step.kind === 'shown' && moved.current) title.current?.focus()
  }, [step])

  function go(next: Step): void {
    moved.current = true
    setStep(next)
  }

  return (
    <section aria-labelledby={id} className="space-y-3 border-t border-border pt-4">
      <h3 ref={title} id={id} tabIndex={-1} className="text-sm font-medium outline-none">
        E-mail address
      </h3>
      {step.kind !== 'mailed' && (
        <p className="wrap-anywhere" translate="no">
          {present}
        </p>
      )}
      {step.kind === 'shown' && (
        <>
          <p role="status" className="text-sm text-muted-foreground">
            {step.hasChanged
              ? `This is your address from now on. Other browsers and devices are signed out. For ${EMAIL_UNDO_HOURS} hours a link in the mail to the old address takes the change back.`
              : 'Sign-in codes and all mails go there. Nobody else sees it.'}
          </p>
          <Button variant="outline" size="sm" onClick={() => go({ kind: 'asked' })}>
            Change address
          </Button>
        </>
      )}
      {step.kind === 'asked' && (
        <NewEmailForm
          onMailed={(wanted) => go({ kind: 'mailed', wanted, isNew: true })}
          onCancel={() => go({ kind: 'shown', hasChanged: false })}
        />
      )}
      {step.kind === 'mailed' && (
        <EmailChangeCodes
          present={present}
          wanted={step.wanted}
          takesFocus={step.isNew}
          onChanged={() => go({ kind: 'shown', hasChanged: true })}
          onCancel={() => go({ kind: 'shown', hasChanged: false })}
        />
      )}
    </section>
  )
}
