import { CHECKPOINT_PATH, type RecordState as State } from '@tradepost/contract/record-keys'
import { sayRecordState } from '@tradepost/contract/record-words'
import { useEffect, useState } from 'react'
import { readShownState } from '../lib/record/shown-state.ts'
import { serverNow } from '../lib/server-time.ts'
import { useMinute } from '../lib/use-minute.ts'

const AGAIN_MS = 600_000
const TIMEOUT_MS = 10_000

/** The record's size, the age of its signature and its witnesses; the plain word where it does not answer. */
export function RecordState() {
  const [known, setKnown] = useState<{ state: State; at: Date } | null>(null)
  const now = useMinute()
  useEffect(() => {
    let isShown = true
    const ask = async () => {
      if (document.hidden) return
      const state = await askForState()
      if (isShown && state) setKnown({ state, at: serverNow() })
    }
    void ask()
    const timer = setInterval(ask, AGAIN_MS)
    return () => {
      isShown = false
      clearInterval(timer)
    }
  }, [])
  if (known === null) return <span>Public record</span>
  const latest = now > known.at ? now : known.at
  return <span>{`Record: ${sayRecordState(known.state, latest)}`}</span>
}

async function askForState(): Promise<State | null> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(CHECKPOINT_PATH, { credentials: 'omit', signal })
    return answer.ok ? readShownState(await answer.text()) : null
  } catch {
    return null
  }
}
