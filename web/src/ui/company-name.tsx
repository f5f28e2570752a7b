type CompanyNameProps = {
  /** Absent while nobody found it. */
  name: string | undefined
  className?: string
}

/** What a ticker stands for, below it or beside it; `styles.css` says how wide it is. */
export function CompanyName({ name, className = '' }: CompanyNameProps) {
  return (
    name && (
      <span translate="no" title={name} className={`company-name ${className}`}>
        {name}
      </span>
    )
  )
}
