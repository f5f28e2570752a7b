import type { Elements } from '../ui/elements.ts'

export function Sample({ title, children }: { title: string; children: Elements }) {
  return (
    <section className="space-y-4">
      <h2 className="border-b border-border pb-2 text-base font-semibold">{title}</h2>
      {children}
    </section>
  )
}
