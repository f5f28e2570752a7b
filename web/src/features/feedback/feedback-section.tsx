import { useRef } from 'react'
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '../../ui/card.tsx'
import { FeedbackForm } from './feedback-form.tsx'

/** Account > Feedback, where /feedback leads (decision G-06). */
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
