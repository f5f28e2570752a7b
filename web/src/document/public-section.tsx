import type { Elements } from '../ui/elements.ts'

type PublicSectionProps = { id: string; title: string; className: string; children: Elements }

/** A part of a public page with its heading. */
export function PublicSection({ id, title, className, children }: PublicSectionProps) {
  return (
    <section aria-labelledby={id} className={className}>
      <h2 id={id} className="text-lg font-semibold tracking-tight">
        {title}
      </h2>
      {children}
    </section>
  )
}
