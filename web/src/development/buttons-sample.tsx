import { Search } from 'lucide-react'
import { Button, buttonLook } from '../ui/button.tsx'
import { Sample } from './sample.tsx'

const variants = ['default', 'destructive', 'outline', 'secondary', 'ghost', 'link'] as const
const sizes = ['sm', 'default', 'lg'] as const

export function ButtonsSample() {
  return (
    <Sample title="Buttons">
      <div className="flex flex-wrap gap-3">
        {variants.map((variant) => (
          <Button key={variant} variant={variant}>
            {variant}
          </Button>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        {sizes.map((size) => (
          <Button key={size} size={size}>
            {size}
          </Button>
        ))}
        <Button size="icon" aria-label="Search">
          <Search aria-hidden="true" />
        </Button>
      </div>
      <div className="flex flex-wrap gap-3">
        <Button loading>Loading button</Button>
        <Button variant="outline" loading>
          Save
        </Button>
        <Button disabled>Disabled</Button>
        <a href="#link" {...buttonLook({ variant: 'outline' })}>
          Looks like a button
        </a>
      </div>
    </Sample>
  )
}
