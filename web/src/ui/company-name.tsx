type CompanyNameProps = {
  /** Absent until the name is found. */
  name: string | undefined
  className?: string
}

/** The name of the company behind a ticker, below the ticker or beside it; `styles.css` sets its width. */
export function CompanyName({ name, className = '' }: CompanyNameProps) {
  return (
    name && (
      <span translate="no" title={name} className={`company-name ${className}`}>
        {name}
      </span>
    )
  )
}
