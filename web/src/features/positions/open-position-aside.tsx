import { HOLD_LENGTH_LABELS, isHoldLength } from '@tradepost/contract/hold-length'
import { keptText } from '@tradepost/contract/kept-text'
import { openedSubject } from '@tradepost/contract/position-mail'
import type { PricePreview } from '@tradepost/contract/quotes'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import { Check, Circle } from 'lucide-react'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'
import { cn } from '../../ui/cn.ts'
import type { OpenDraft, Requirement } from './position-rules.ts'

type OpenPositionAsideProps = {
  draft: OpenDraft
  username: string
  preview: PricePreview | null
  requirements: readonly Requirement[]
}

/** Beside the form of /trade: what is still missing, and the mail as followers will get it. */
export function OpenPositionAside({ requirements, ...mail }: OpenPositionAsideProps) {
  return (
    <>
      <Checklist requirements={requirements} />
      <MailPreview {...mail} />
    </>
  )
}

function Checklist({ requirements }: Pick<OpenPositionAsideProps, 'requirements'>) {
  const done = requirements.filter((requirement) => requirement.done).length
  return (
    <Card>
      <CardHeader className="flex items-baseline justify-between gap-3">
        <CardTitle>Before it goes out</CardTitle>
        <span className="text-sm text-muted-foreground tabular-nums">{`${done} of ${requirements.length}`}</span>
      </CardHeader>
      <CardContent>
        <ul className="space-y-2 text-sm">
          {requirements.map(({ label, done: isDone }) => (
            <li key={label} className="flex items-center gap-2.5" data-done={isDone}>
              {isDone ? (
                <Check aria-hidden="true" className="size-4 shrink-0 text-primary" />
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

/** What is not there yet is shown as a gap, so that nobody takes the preview for the mail itself. */
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
