import { useId } from 'react'
import { Select } from '../../ui/select.tsx'

type ActivityFilterProps = {
  /** Usernames of the traders to choose from, the viewer's own apart. */
  traders: readonly string[]
  /** The viewer's username, empty until set. */
  own: string
  /** The trader whose events are shown; null for all. */
  trader: string | null
  onChoose: (trader: string | null) => void
}

/** The choice of a trader, whose events the list then shows; an empty place where there is nobody to choose from. */
export function ActivityFilter({ traders, own, trader, onChoose }: ActivityFilterProps) {
  const id = useId()
  const isSame = (name: string) => name.toLowerCase() === trader?.toLowerCase()
  const known = own === '' ? traders : [own, ...traders]
  const chosen = known.find(isSame)
  // An address may name somebody else.
  const names = trader === null || chosen !== undefined ? known : [...known, trader]
  // Its place is kept until they are known.
  if (names.length < 2 && trader === null) return <span />
  return (
    <div className="flex items-center gap-3 text-sm text-muted-foreground">
      <label htmlFor={id}>Showing</label>
      <Select
        id={id}
        value={trader === null ? '' : (chosen ?? trader)}
        className="text-sm font-medium"
        onChange={({ currentTarget }) => onChoose(currentTarget.value === '' ? null : currentTarget.value)}
      >
        <option value="">Everybody</option>
        {names.map((name) =>
          name === own ? (
            <option key={name} value={name}>
              Yourself
            </option>
          ) : (
            <option key={name} value={name} translate="no">
              {name}
            </option>
          ),
        )}
      </Select>
    </div>
  )
}
