import type { ComponentProps } from 'react'

/** The mark: a post with a flag, in the colour of the text around it. Favicon and mail header draw the same paths. */
export function Mark(props: ComponentProps<'svg'>) {
  return (
    <svg viewBox="0 0 24 24" fill="none" aria-hidden="true" data-slot="mark" {...props}>
      <path d="M6 2.5v19" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round" />
      <path d="M6 4h13.2l-3.4 4.25 3.4 4.25H6z" fill="currentColor" />
      <path d="M3 21.5h6" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round" />
    </svg>
  )
}
