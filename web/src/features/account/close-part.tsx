import { CLOSING_DAYS, type ClosingPlan } from '@tradepost/contract/closing'
import { TRIAL_KEPT_DAYS } from '@tradepost/contract/trial'
import { useState } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '../../ui/dialog.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { closeAccount, readClosingPlan } from './closing.api.ts'
import { MailedCode } from './mailed-code.tsx'

/** Account > Profile: the way out for good (rule G-117). The effects are said before; nobody is talked out of it. */
export function ClosePart() {
  const [plan, setPlan] = useState<ClosingPlan | null>(null)
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  async function ask(): Promise<void> {
    setPending(true)
    setFailure(null)
    try {
      setPlan(await readClosingPlan())
    } catch (error) {
      setFailure(messageOf(error))
    }
    setPending(false)
  }

  return (
    <section aria-labelledby="close-title" className="space-y-3 border-t border-border pt-4">
      <h3 id="close-title" className="text-sm font-medium">
        Close the account
      </h3>
      <p className="text-sm text-muted-foreground">
        {`It is closed at once, and erased after ${CLOSING_DAYS} days. Until then one press gives it back.`}
      </p>
      <Button variant="outline" size="sm" loading={pending} onClick={() => void ask()}>
        Close account
      </Button>
      <FieldError>{failure}</FieldError>
      {plan && <CloseDialog plan={plan} onDismiss={() => setPlan(null)} />}
    </section>
  )
}

function CloseDialog({ plan, onDismiss }: { plan: ClosingPlan; onDismiss: () => void }) {
  const [mailDue, setMailDue] = useState(false)
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  async function close(): Promise<void> {
    setFailure(null)
    const answer = await closeAccount()
    if (answer === 'mail_due') setMailDue(true)
    else if (answer !== null) setFailure(answer.sentence)
  }

  async function press(): Promise<void> {
    if (plan.mailedCodeDue) return setMailDue(true)
    setPending(true)
    await close()
    setPending(false)
  }

  return (
    <Dialog open onOpenChange={(open) => !open && !pending && onDismiss()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Close your account?</DialogTitle>
          <DialogDescription>
            {`At once. For ${CLOSING_DAYS} days a link that we mail you gives it back.`}
          </DialogDescription>
        </DialogHeader>
        <ul className="list-disc space-y-2 pl-5 text-sm text-muted-foreground">
          {effectsOf(plan).map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
        {failure && (
          <Alert variant="destructive">
            <AlertDescription>{failure}</AlertDescription>
          </Alert>
        )}
        {mailDue ? (
          <MailedCode onConfirmed={close} onCancel={onDismiss} onBusyChange={setPending} />
        ) : (
          <DialogFooter>
            <Button variant="outline" disabled={pending} onClick={onDismiss}>
              Cancel
            </Button>
            <Button variant="destructive" loading={pending} onClick={() => void press()}>
              Close account
            </Button>
          </DialogFooter>
        )}
      </DialogContent>
    </Dialog>
  )
}

/** The effects of closing, in the person's own numbers; those that do not concern them are left out. */
function effectsOf({ followed, followers, openPositions, openedToday }: ClosingPlan): string[] {
  return [
    'You are signed out everywhere, and get no more mails but those about the closing.',
    ...(followed > 0
      ? [
          `${counted(followed, 'subscription that you pay for ends', 'subscriptions that you pay for end')}. The unused part goes back to your card. They do not come back with the account.`,
        ]
      : []),
    ...(followers > 0
      ? [
          `${counted(followers, 'person who follows you is', 'people who follow you are')} told, and get the unused part back.`,
        ]
      : []),
    ...(openPositions > 0 ? [positions(openPositions, openedToday)] : []),
    'Your name leaves the boards and search, and your public page is gone.',
    `After ${CLOSING_DAYS} days your address, your name and everything that you wrote are erased. Figures of positions stay without a name; payments stay as long as the law asks for. Of a trial, hashes of your address and card stay for ${TRIAL_KEPT_DAYS} days, so that there is no second one.`,
  ]
}

function positions(open: number, openedToday: number): string {
  const closed = `${counted(open, 'open position is', 'open positions are')} closed at the price of now`
  return openedToday === 0
    ? `${closed}.`
    : `${closed}; ${openedToday === open ? 'opened today, tomorrow' : `${openedToday} of them, opened today, tomorrow`}.`
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
