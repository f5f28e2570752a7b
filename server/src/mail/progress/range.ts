/** A range as its sender sees it: recipients with `progress < mail_no <= to` are still to be mailed. */
export type Range = {
  traderId: string
  eventNo: number
  from: number
  to: number
  progress: number
  /** Mails of it that the mail server took. */
  sent: number
  /** When it began to wait because the server refused us, and how often in a row; null and 0 when it did not. */
  heldAt: Date | null
  holds: number
}

/** @property previousOwner the worker whose lease it was, when that did not give it back; `createdAt` is of its row. */
export type LeasedRange = Range & { createdAt: Date; previousOwner: number | null }

export type RangeKey = Pick<Range, 'traderId' | 'eventNo' | 'from'>

/** @property createdAt when its first try was (UTC) */
export type DueRetry = {
  traderId: string
  eventNo: number
  mailNo: number
  tries: number
  refusals: number
  createdAt: Date
}

/** The leases that a worker has taken and not given back, by its own record. */
export type Held = { ranges: RangeKey[]; retries: DueRetry[] }

/** The key of a range, unique among all ranges and retries. */
export function rangePlace(range: RangeKey): string {
  return `range ${range.traderId} ${range.eventNo} ${range.from}`
}

export function retryPlace(retry: Pick<DueRetry, 'traderId' | 'eventNo' | 'mailNo'>): string {
  return `retry ${retry.traderId} ${retry.eventNo} ${retry.mailNo}`
}
