import { cn } from '../ui/cn.ts'
import { Gain } from '../ui/gain.tsx'
import { Mark } from '../ui/mark.tsx'
import { Wordmark } from '../ui/wordmark.tsx'
import { Sample } from './sample.tsx'

const pairs = [
  ['bg-background text-foreground', 'foreground'],
  ['bg-background text-muted-foreground', 'muted-foreground'],
  ['bg-card text-card-foreground', 'card'],
  ['bg-muted text-foreground', 'muted'],
  ['bg-accent text-accent-foreground', 'accent'],
  ['bg-secondary text-secondary-foreground', 'secondary'],
  ['bg-primary text-primary-foreground', 'primary'],
  ['bg-destructive text-destructive-foreground', 'destructive'],
  ['bg-destructive-muted text-destructive', 'destructive-muted'],
] as const

export function ColoursSample() {
  return (
    <Sample title="Brand, colour, figures">
      <div className="flex flex-wrap items-center gap-8">
        <Wordmark withMark />
        <Wordmark className="text-3xl" />
        <Mark className="size-10 text-primary" />
        <Gain value="12.345" />
        <Gain value="-3.2" />
        <Gain value="0" />
      </div>
      <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        {pairs.map(([classes, name]) => (
          <li key={name} className={cn('rounded-md border border-border px-4 py-3 text-sm', classes)}>
            {name}
          </li>
        ))}
      </ul>
    </Sample>
  )
}
