import { HOLD_LENGTH_LABELS, isHoldLength } from '@tradepost/contract/hold-length'
import { keptText } from '@tradepost/contract/kept-text'
import { openedSubject } from '@tradepost/contract/position-mail'
import type { PricePreview } from '@tradepost/contract/quotes'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import { Check, Circle } from 'lucide-react'
import { type FormEvent, useId, useRef } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { useDraft } from '../../lib/use-draft.ts'
import { useMinute } from '../../lib/use-minute.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'
import { cn } from '../../ui/cn.ts'
import {
  Dialog,
  DialogClose,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '../../ui/dialog.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { NotesField } from '../../ui/notes-field.tsx'
import { WithAside } from '../../ui/with-aside.tsx'
import { MovedNotice, takeMoved } from './moved-notice.tsx'
import { LengthField, Understanding } from './open-position-fields.tsx'
import {
  firstMissing,
  isAboutTicker,
  type OpenDraft,
  openRequirements,
  type Requirement,
  whyNoPriceCheck,
} from './position-rules.ts'
import { PriceField } from './price-field.tsx'
import { TickerField } from './ticker-field.tsx'
import { movedPrice, OPEN_DRAFT, previewPrice, useOpenPosition } from './trades.api.ts'
import { usePriceCheck } from './use-price-check.ts'

const EMPTY_DRAFT: OpenDraft = { ticker: '', positionLength: '', openNotes: '', understood: false }

type OpenPositionFormProps = {
  /** The viewer's, empty until set. */
  username: string
  marketOpen: boolean
  /** Called when the position is open and in the list. */
  onOpened: () => void
}

/**
 * Publishes a position (docs/specification.md sections 2, 4 and 5); beside it what followers will get and what is missing.
 * After any failure everything typed stays, and waits for the next look.
 */
export function OpenPositionForm(props: OpenPositionFormProps) {
  const { username } = props
  const { draft, change, price, opening, requirements, open } = useOpening(props)
  const reasonId = useId()
  const reason = firstMissing(requirements)
  const noCheck = whyNoPriceCheck(draft.ticker, username)
  const symbol = normaliseSymbol(draft.ticker)
  const minute = useMinute()
  const now = checkedAt(price.preview) ?? minute

  /** The field shows what was understood of a pasted text. */
  function check(): void {
    if (draft.ticker.trim().toUpperCase() !== symbol) change({ ticker: symbol })
    price.check(symbol)
  }

  return (
    <WithAside
      label="Before it goes out"
      aside={
        <OpenPositionAside
          draft={draft}
          username={username}
          preview={price.preview}
          requirements={requirements}
        />
      }
    >
      <form onSubmit={open} noValidate className="space-y-5">
        <TickerField
          value={draft.ticker}
          error={isAboutTicker(price.error, symbol) ? price.error : null}
          onChange={(ticker) => {
            change({ ticker })
            price.reset()
          }}
          onEnter={() => noCheck === null && !price.checking && check()}
        />
        <PriceField price={price} whyDisabled={noCheck} onCheck={check} />
        <LengthField
          value={draft.positionLength}
          onChange={(positionLength) => change({ positionLength })}
          now={now}
        />
        <NotesField
          label="Open notes"
          name="openNotes"
          value={draft.openNotes}
          onChange={(openNotes) => change({ openNotes })}
        />
        <Understanding checked={draft.understood} onChange={(understood) => change({ understood })} />
        <MovedNotice error={opening.error} price={price} />
        <div className="flex flex-col-reverse gap-3 sm:flex-row sm:items-center">
          <Button
            type="submit"
            size="lg"
            disabled={reason !== null}
            aria-describedby={reasonId}
            loading={opening.isPending || opening.isSuccess}
          >
            Open Position
          </Button>
          <div className="flex flex-wrap items-baseline gap-x-2 text-sm">
            {/* Where the list stands below the form. */}
            <span className="font-medium tabular-nums xl:hidden">{doneText(requirements)}</span>
            <DisabledReason id={reasonId} reason={reason} />
          </div>
        </div>
        <OpenFailureDialog
          message={opening.isError && !movedPrice(opening.error) ? messageOf(opening.error) : null}
          onDismiss={opening.reset}
        />
      </form>
    </WithAside>
  )
}

/** When the server checked a price, by its own clock; null without one. */
function checkedAt(preview: PricePreview | null): Date | null {
  if (preview?.expiresAt === undefined || preview.expiresInSeconds === undefined) return null
  return new Date(Date.parse(preview.expiresAt) - preview.expiresInSeconds * 1000)
}

/** The typed text and the checked price so far, the missing parts, and the opening itself. */
function useOpening({ username, marketOpen, onOpened }: OpenPositionFormProps) {
  const [draft, setDraft] = useDraft(OPEN_DRAFT, EMPTY_DRAFT)
  const price = usePriceCheck(previewPrice, messageOf)
  // The draft that was sent stays in sight until the page has gone elsewhere: the form does not empty itself on the way.
  const taken = useRef<OpenDraft | null>(null)
  const opening = useOpenPosition(username, () => {
    taken.current = draft
  })
  const { preview, error } = price
  const checkFailed = preview === null && error !== null
  const requirements = openRequirements(draft, { preview, checkFailed, marketOpen, username })

  function change(part: Partial<OpenDraft>): void {
    setDraft({ ...draft, ...part })
  }

  function open(event: FormEvent): void {
    event.preventDefault()
    // Once open it is not opened again, though the form stands until the next screen is there.
    if (firstMissing(requirements) !== null || preview === null || !(opening.isIdle || opening.isError))
      return
    const { openNotes, positionLength } = draft
    const symbol = normaliseSymbol(draft.ticker)
    opening.mutate(
      { symbol, key: preview.key, openNotes, positionLength },
      { onSuccess: () => onOpened(), onError: takeMoved(price, preview) },
    )
  }

  return { draft: taken.current ?? draft, change, price, opening, requirements, open }
}

type OpenFailureDialogProps = {
  /** Why the position was not opened; null keeps the dialog away. */
  message: string | null
  onDismiss: () => void
}

/** Shows why nothing was opened (docs/specification.md section 2, rule G-72). */
function OpenFailureDialog({ message, onDismiss }: OpenFailureDialogProps) {
  return (
    <Dialog open={message !== null} onOpenChange={(open) => !open && onDismiss()}>
      <DialogContent role="alertdialog">
        <DialogHeader>
          <DialogTitle>Unable to open position</DialogTitle>
          <DialogDescription>Something went wrong...</DialogDescription>
        </DialogHeader>
        <p role="alert">{message}</p>
        <DialogFooter>
          <DialogClose asChild>
            <Button>Back to the form</Button>
          </DialogClose>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}

type OpenPositionAsideProps = {
  draft: OpenDraft
  username: string
  preview: PricePreview | null
  requirements: readonly Requirement[]
}

/** Beside the form of /trade: what is still missing, and the mail as followers will get it. */
function OpenPositionAside({ requirements, ...mail }: OpenPositionAsideProps) {
  return (
    <>
      <Checklist requirements={requirements} />
      <MailPreview {...mail} />
    </>
  )
}

/** `2 of 6`. */
function doneText(requirements: readonly Requirement[]): string {
  return `${requirements.filter(({ done }) => done).length} of ${requirements.length}`
}

function Checklist({ requirements }: Pick<OpenPositionAsideProps, 'requirements'>) {
  return (
    <Card>
      <CardHeader className="flex items-baseline justify-between gap-3">
        <CardTitle>Before it goes out</CardTitle>
        <span className="text-sm text-muted-foreground tabular-nums">{doneText(requirements)}</span>
      </CardHeader>
      <CardContent>
        <ul className="space-y-2 text-sm">
          {requirements.map(({ label, done: isDone }) => (
            <li key={label} className="flex items-center gap-2.5" data-done={isDone}>
              {isDone ? (
                <Check aria-hidden="true" className="size-4 shrink-0 text-foreground" />
              ) : (
                <Circle aria-hidden="true" className="size-4 shrink-0 text-muted-foreground" />
              )}
              <span className={cn(!isDone && 'text-muted-foreground')}>{label}</span>
              <span className="sr-only">{isDone ? 'done' : 'missing'}</span>
            </li>
          ))}
        </ul>
      </CardContent>
    </Card>
  )
}

/** A missing part is shown as a gap, so that nobody takes the preview for the mail itself. */
function MailPreview({ draft, username, preview }: Omit<OpenPositionAsideProps, 'requirements'>) {
  const symbol = normaliseSymbol(draft.ticker)
  const notes = keptText(draft.openNotes)
  const { positionLength } = draft
  return (
    <Card>
      <CardHeader>
        <CardTitle>What followers get</CardTitle>
        <p className="text-sm text-muted-foreground">By mail, at once</p>
      </CardHeader>
      <CardContent className="space-y-3 text-sm wrap-anywhere">
        <p className="font-semibold tabular-nums">
          {preview !== null && symbol !== '' && username !== '' ? (
            openedSubject({ trader: username, symbol, openPrice: preview.price })
          ) : (
            <Gap>{`@${username === '' ? 'you' : username} opened ${symbol === '' ? '…' : symbol} at …`}</Gap>
          )}
        </p>
        <p>
          {isHoldLength(positionLength) ? (
            `Planned hold: ${HOLD_LENGTH_LABELS[positionLength]}`
          ) : (
            <Gap>Planned hold: …</Gap>
          )}
        </p>
        <p dir={notes === '' ? undefined : 'auto'} className="whitespace-pre-line">
          {notes === '' ? <Gap>Your notes</Gap> : notes}
        </p>
      </CardContent>
    </Card>
  )
}

function Gap({ children }: { children: string }) {
  return <span className="text-muted-foreground">{children}</span>
}
