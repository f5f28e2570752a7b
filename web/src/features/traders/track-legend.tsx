/** What the lines, the shade and the ticks of a curve are; the sentence below says it to screen readers. */
export function TrackLegend({ username, indexSymbol }: { username: string; indexSymbol: string }) {
  const items = [
    {
      name: `${username}, equal stakes`,
      drawn: <path d="M0 6H20" strokeWidth="2" className="stroke-primary" />,
    },
    {
      name: indexSymbol,
      drawn: <path d="M0 6H20" strokeWidth="1.5" strokeDasharray="4 3" className="stroke-muted-foreground" />,
    },
    { name: 'below its peak', drawn: <path d="M0 0H20V12H0Z" className="fill-destructive/15" /> },
    {
      name: 'closed with a gain, a loss',
      drawn: (
        <g strokeWidth="1.5">
          <path d="M6 5.5V0" className="stroke-primary" />
          <path d="M14 6.5V12" className="stroke-destructive" />
          <path d="M0 6H20" className="stroke-border" />
        </g>
      ),
    },
  ]
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted-foreground" aria-hidden="true">
      {items.map(({ name, drawn }) => (
        <li key={name} className="flex items-center gap-1.5">
          <svg role="presentation" width="20" height="12" viewBox="0 0 20 12">
            {drawn}
          </svg>
          <span>{name}</span>
        </li>
      ))}
    </ul>
  )
}
