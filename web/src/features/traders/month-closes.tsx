import type { ClosedOfTrader } from '@tradepost/contract/closed-positions'
import { useState } from 'react'
import { ClosedPages, ClosedPositionDialog } from './closed-list.tsx'
import { longMonth } from './month-words.ts'

/** A trader's positions that were closed in a month, newest first; a row opens its dialog. @param props.month as `2026-11` */
export function MonthCloses({ username, month }: { username: string; month: string }) {
  const [chosen, setChosen] = useState<ClosedOfTrader | null>(null)
  return (
    <>
      <ClosedPages
        username={username}
        order="closed desc"
        month={month}
        none={`Nothing was closed in ${longMonth(month)}.`}
        caption={`Closed in ${longMonth(month)}`}
        onChoose={setChosen}
      />
      {chosen && (
        <ClosedPositionDialog trader={username} position={chosen} onDismiss={() => setChosen(null)} />
      )}
    </>
  )
}
