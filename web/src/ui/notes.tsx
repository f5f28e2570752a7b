import { useId } from 'react'

/** The words of a trader about a position, under their name. The text runs the way of its own letters. */
export function Notes({ name, text }: { name: string; text: string }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="text-sm text-muted-foreground">
        {name}
      </h3>
      <p dir="auto" className="mt-1 leading-relaxed wrap-anywhere whitespace-pre-wrap">
        {text}
      </p>
    </section>
  )
}
