import { keptText } from '@tradepost/contract/kept-text'
import { FEEDBACK_MIN_LENGTH } from '@tradepost/contract/limits'
import { type FormEvent, useId, useRef } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { useDraft } from '../../lib/use-draft.ts'
import { Alert, AlertDescription } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '../../ui/card.tsx'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { NotesField } from '../../ui/notes-field.tsx'
import { FEEDBACK_DRAFT, useSendFeedback } from './feedback.api.ts'

/** Account > Feedback, where /feedback leads (rule G-06). */
export function FeedbackSection() {
  const section = useRef<HTMLElement>(null)
  return (
    <Card id="feedback" ref={section} tabIndex={-1} aria-labelledby="feedback-title">
      <CardHeader>
        <CardTitle id="feedback-title">Feedback</CardTitle>
        <CardDescription>
          Missing something, or annoyed by it? Tell the people who build this.
        </CardDescription>
      </CardHeader>
      <CardContent>
        {/* With the text sent, the button that had the focus can do nothing more. */}
        <FeedbackForm onSent={() => section.current?.focus({ preventScroll: true })} />
      </CardContent>
    </Card>
  )
}

/**
 * Comments with their counter (docs/specification.md sections 2, 4 and 5): ten characters enable Submit, too many are the
 * server's to refuse. The text is cleared when it has been taken and stays when it has not.
 * @param props.onSent called when it has been taken
 */
export function FeedbackForm({ onSent }: { onSent: () => void }) {
  const [comments, setComments] = useDraft<string>(FEEDBACK_DRAFT, '')
  const sending = useSendFeedback()
  const reasonId = useId()
  const longEnough = keptText(comments).length >= FEEDBACK_MIN_LENGTH

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (!longEnough || sending.isPending) return
    sending.mutate(comments, { onSuccess: () => onSent() })
  }

  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <NotesField label="Comments" name="comments" value={comments} onChange={setComments} />
      {sending.isError && (
        <Alert variant="destructive">
          <AlertDescription>{messageOf(sending.error)}</AlertDescription>
        </Alert>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" disabled={!longEnough} aria-describedby={reasonId} loading={sending.isPending}>
          Submit
        </Button>
        <DisabledReason
          id={reasonId}
          reason={longEnough ? null : `Write at least ${FEEDBACK_MIN_LENGTH} characters.`}
        />
      </div>
    </form>
  )
}
