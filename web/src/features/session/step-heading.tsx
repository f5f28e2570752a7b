import { type ReactNode, useEffect, useRef } from 'react'

type StepHeadingProps = {
  title: string
  /** Moves the focus here when the step appears, so that a screen reader starts with it. */
  takesFocus?: boolean
  children: ReactNode
}

/** Title and sentence of one step of the login page. */
export function StepHeading({ title, takesFocus = false, children }: StepHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  return (
    <div className="space-y-2">
      <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold tracking-tight outline-none">
        {title}
      </h1>
      <p className="text-muted-foreground">{children}</p>
    </div>
  )
}
