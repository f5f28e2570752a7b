import { Check } from 'lucide-react'

/** The benefits of following a trader. */
export function Promises({ username }: { username: string }) {
  const promises = [
    `Every open position of @${username}, with the reasons`,
    'An e-mail at once, on every open and every close',
    'Cancel any time; what is paid for stays yours to its end',
  ]
  return (
    <ul className="space-y-2 text-sm">
      {promises.map((promise) => (
        <li key={promise} className="flex gap-2.5">
          <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-foreground" />
          <span className="wrap-anywhere">{promise}</span>
        </li>
      ))}
    </ul>
  )
}
